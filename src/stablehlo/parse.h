// The text that print_stablehlo writes, taken apart again: the structure, not the meaning.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hornbeam::stablehlo {

struct Region;

// A name with its type, as the text has them: "%3", "tensor<2xf32>".
struct TypedName {
  std::string name, type;
};

struct Operation {
  int line = 0;
  std::string name;    // "stablehlo.add"
  std::string result;  // "%3"; empty for none
  size_t results = 0;
  std::vector<std::string> operands;
  std::vector<Region> regions;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::string> operand_types, result_types;
};

struct Region {
  std::vector<TypedName> arguments;
  std::vector<Operation> operations;
};

struct Function {
  Region body;
  std::vector<std::string> result_types;
};

// Throws H702 with the line of what is not as print_stablehlo writes it.
Function parse(std::string_view text);

}  // namespace hornbeam::stablehlo
