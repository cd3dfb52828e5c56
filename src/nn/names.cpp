#include "nn/names.h"

#include <cctype>

namespace hornbeam {
namespace {

bool upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool lower(char c) { return std::islower(static_cast<unsigned char>(c)); }

}  // namespace

// Keras' rule: a border before a capital that lowercase letters follow, and between a lowercase
// letter and a capital.
std::string snake_case(std::string_view class_name) {
  std::string snake;
  for (size_t i = 0; i < class_name.size(); ++i) {
    char c = class_name[i];
    bool starts_word = i > 0 && upper(c) && i + 1 < class_name.size() && lower(class_name[i + 1]);
    bool after_lower = i > 0 && upper(c) && lower(class_name[i - 1]);
    if (starts_word || after_lower) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return snake;
}

std::string AutomaticNames::operator()(std::string_view class_name) {
  std::string name = snake_case(class_name);
  int number = counts_[name]++;
  return number == 0 ? name : name + "_" + std::to_string(number);
}

}  // namespace hornbeam
