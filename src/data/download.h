// Downloading one published file, checked before it appears.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "data/checksum.h"

namespace hornbeam {

// Told how far a download is, several times a second; `total` is 0 while it is not known. False
// stops the download (H130).
using DownloadProgress = std::function<bool(uint64_t done, uint64_t total)>;

// Fetches `url` (http, https or file) to `target`, whose folder is made when missing. Content goes
// aside first, a broken connection is resumed a few times, and the file appears under its name only
// when its checksum is right; otherwise nothing is left behind. Throws H210, which says what to put
// where by hand, H202 on a wrong checksum and H120 when `target` cannot be written.
void download(const PublishedFile& published, const std::string& url,
              const std::filesystem::path& target, const DownloadProgress& progress);

}  // namespace hornbeam
