// The names that Keras gives on its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hornbeam {

// "Conv2D" → "conv2d", "MaxPooling2D" → "max_pooling2d", "PReLU" → "p_re_lu".
std::string snake_case(std::string_view class_name);

// One name after the other for objects of the same class: "dense", "dense_1", "dense_2".
class AutomaticNames {
 public:
  std::string operator()(std::string_view class_name);

 private:
  std::map<std::string, int> counts_;
};

}  // namespace hornbeam
