// The names in a group and the objects they lead to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "formats/hdf5/object_header.h"

namespace hornbeam::hdf5 {

// The address of an object; nothing for a symbolic link, which is not followed.
using Links = std::map<std::string, std::optional<uint64_t>>;

bool is_group(const ObjectHeader& header);
// Of old groups (symbol tables) and new ones (links in the header, or in a fractal heap).
Links read_links(const Source& source, const ObjectHeader& group);

}  // namespace hornbeam::hdf5
