// Configuration fields that several layers share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/fields.h"

namespace hornbeam {

// A single value, or a list of them that is written as a list again.
template <class T>
struct OneOrMore {
  std::vector<T> values;
  bool list = false;
};
void one_or_more_field(Fields& f, std::string_view key, OneOrMore<int64_t>& value);
void one_or_more_field(Fields& f, std::string_view key, OneOrMore<double>& value);

void data_format_field(Fields& f, std::string& data_format);  // absent or null: channels_last
void padding_field(Fields& f, std::string& padding);          // "valid" or "same"
void require_positive(Fields& f, std::string_view key, int64_t value);     // when reading
void require_not_negative(Fields& f, std::string_view key, double value);  // when reading

}  // namespace hornbeam
