// Which Keras wrote a file, and on which library it ran: this decides what names and numbers in the
// file mean.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace hornbeam {

struct Origin {
  int major = 3;        // 2 is Keras 2 and the tf.keras of TensorFlow 2
  std::string backend;  // "tensorflow", "theano", or empty where the file does not say
};

// From version and backend as files hold them: "2.2.4-tf", "tensorflow". Version 1 wrote neither
// into files of weights.
Origin origin_from(std::string_view version, std::string_view backend);

// From a model's JSON. Where it has no version, from the form it has.
Origin origin_of(const Json& model);

}  // namespace hornbeam
