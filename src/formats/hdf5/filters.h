// The filters of chunked datasets: deflate, shuffle and the Fletcher checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/hdf5/source.h"

namespace hornbeam::hdf5 {

struct Filter {
  enum Kind : uint16_t { deflate = 1, shuffle = 2, fletcher = 3 };
  Kind kind;
  uint32_t element_size = 1;  // of shuffle
};

using Filters = std::vector<Filter>;  // in the order of writing

// Other filters are refused by name.
Filters read_filters(Cursor message);

// The bytes of a chunk as they were before the filters: exactly `size`, H102 otherwise. A bit of
// `skipped` is set for each filter that was not applied.
std::vector<std::byte> unfilter(const Filters& filters, uint32_t skipped, Cursor stored,
                                uint64_t size);

}  // namespace hornbeam::hdf5
