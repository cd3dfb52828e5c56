// Unpacking .tar.gz archives of plain files, as data sets are published.
#pragma once

#include <filesystem>

namespace hornbeam {

// Writes the files of the archive under `folder`, which must exist. Archives are hostile: names
// that lead out of the folder, links and devices, and more than 2 GiB of content are refused.
// Throws H202.
void unpack_tar(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace hornbeam
