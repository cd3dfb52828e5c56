#include "nn/layers/fields.h"

#include <fmt/format.h>

namespace hornbeam {

void data_format_field(Fields& f, std::string& data_format) {
  auto read = [&](const Json& json) {
    data_format = json.is_null() ? "channels_last" : json.as_text();
    if (data_format != "channels_last" && data_format != "channels_first")
      f.refuse("data_format", "expected channels_last or channels_first, received " + data_format);
  };
  f.custom("data_format", read, [&] { return Json(data_format); });
}

void padding_field(Fields& f, std::string& padding) {
  auto read = [&](const Json& json) {
    padding = json.as_text();
    if (padding != "valid" && padding != "same")
      f.refuse("padding", "expected valid or same, received " + padding);
  };
  f.custom("padding", read, [&] { return Json(padding); });
}

void require_positive(Fields& f, std::string_view key, int64_t value) {
  if (f.reading() && value <= 0)
    f.refuse(key, fmt::format("expected 1 or more, received {}", value));
}

void require_not_negative(Fields& f, std::string_view key, double value) {
  if (f.reading() && !(value >= 0))
    f.refuse(key, fmt::format("expected 0 or more, received {}", value));
}

}  // namespace hornbeam
