// Configuration fields that several layers share.
#pragma once

#include <string>
#include <string_view>

#include "nn/fields.h"

namespace hornbeam {

void data_format_field(Fields& f, std::string& data_format);  // absent or null: channels_last
void padding_field(Fields& f, std::string& padding);          // "valid" or "same"
void require_positive(Fields& f, std::string_view key, int64_t value);     // when reading
void require_not_negative(Fields& f, std::string_view key, double value);  // when reading

}  // namespace hornbeam
