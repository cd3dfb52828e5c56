// The superblock: where the root group is and how wide addresses and lengths are. Versions 0 … 3.
#pragma once

#include <cstdint>

#include "formats/hdf5/source.h"

namespace hornbeam::hdf5 {

// Sets the widths of `source`, cuts `source.content` to begin at the base address, and returns the
// address of the root group's object header. Refuses a file shorter than it says it is.
uint64_t read_superblock(Source& source);

}  // namespace hornbeam::hdf5
