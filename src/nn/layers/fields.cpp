#include "nn/layers/fields.h"

#include <fmt/format.h>

namespace hornbeam {
namespace {

template <class T, class Get>
void read_and_write(Fields& f, std::string_view key, OneOrMore<T>& value, Get get) {
  auto read = [&](const Json& json) {
    value = {{}, json.is_array()};
    if (!value.list) return value.values.push_back(get(json));
    for (const Json& item : json.as_array()) value.values.push_back(get(item));
    if (value.values.empty()) f.refuse(key, "expected at least one number");
  };
  auto write = [&]() -> Json {
    if (!value.list) return value.values[0];
    return Json::Array(value.values.begin(), value.values.end());
  };
  f.custom(key, read, write);
}

}  // namespace

void one_or_more_field(Fields& f, std::string_view key, OneOrMore<int64_t>& value) {
  read_and_write(f, key, value, [](const Json& json) { return json.as_integer(); });
}

void one_or_more_field(Fields& f, std::string_view key, OneOrMore<double>& value) {
  read_and_write(f, key, value, [](const Json& json) { return json.as_number(); });
}

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
