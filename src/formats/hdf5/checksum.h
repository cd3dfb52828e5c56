// The two checksums of HDF5: of its structures, and of the data of filtered chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hornbeam::hdf5 {

// Bob Jenkins' hash lookup3 with the start value 0.
uint32_t lookup3(std::span<const std::byte> data);

// Fletcher's sums over big-endian 16-bit words; a last odd byte is the upper half of a word.
uint32_t fletcher32(std::span<const std::byte> data);

}  // namespace hornbeam::hdf5
