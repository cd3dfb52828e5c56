// Where the channels and the spatial axes of a batch of pictures are.
#pragma once

#include <string>

#include "base/shape.h"
#include "ir/attrs.h"

namespace hornbeam {

// (batch, spatial…, channels) for "channels_last", (batch, channels, spatial…) for
// "channels_first".
inline int64_t channel_axis(const std::string& data_format, int64_t rank) {
  return data_format == "channels_first" ? 1 : rank - 1;
}

inline int64_t first_spatial_axis(const std::string& data_format) {
  return data_format == "channels_first" ? 2 : 1;
}

// Refuses (H701) other names and ranks that leave no 1 to 3 spatial axes.
void require_data_format(const std::string& data_format, int64_t rank);
// `values` (one a spatial axis) as one a tensor axis, with `other` for batch and channels.
Integers per_axis(const Integers& values, int64_t other, const std::string& data_format);

}  // namespace hornbeam
