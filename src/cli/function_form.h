// Keras objects on the command line: "adam", "Adam(learning_rate=1e-3)", "Rescaling(scale=1/255)".
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace hornbeam {

// A plain name as a text, a call as {"class_name", "config"}. Values are numbers (also a/b), True,
// False, None, texts with or without quotes, lists, and calls. Throws H302 naming `option`.
Json parse_function_form(std::string_view text, std::string_view option);

}  // namespace hornbeam
