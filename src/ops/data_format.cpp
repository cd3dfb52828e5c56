#include "ops/data_format.h"

#include "ops/rules.h"

namespace hornbeam {

void require_data_format(const std::string& data_format, int64_t rank) {
  require_types(data_format == "channels_last" || data_format == "channels_first", [&] {
    return "expected channels_last or channels_first, received '" + data_format + "'";
  });
  require_types(rank >= 3 && rank <= 5, [&] {
    return "expected 1 to 3 spatial axes, received a tensor of rank " + std::to_string(rank);
  });
}

Integers per_axis(const Integers& values, int64_t other, const std::string& data_format) {
  Integers all(values.size() + 2, other);
  for (size_t i = 0; i < values.size(); ++i)
    all[static_cast<size_t>(first_spatial_axis(data_format)) + i] = values[i];
  return all;
}

}  // namespace hornbeam
