// The kinds of reductions ("add", "maximum", …): their start value and how two values combine.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "base/dtype.h"
#include "ops/rules.h"

namespace hornbeam {

// Refuses unknown kinds, and arithmetic on bool or bit operations on floats.
inline void require_kind(std::string_view kind, DType dtype) {
  bool arithmetic = kind == "add" || kind == "maximum" || kind == "minimum" || kind == "multiply";
  bool bits = kind == "and" || kind == "or";
  bool fits = arithmetic ? dtype != DType::boolean : bits && !is_floating(dtype);
  require_types(fits, [&] {
    return "a reduction by '" + std::string(kind) + "' does not take " +
           std::string(name_of(dtype));
  });
}

// W is double or int64.
template <class W>
W initial_value(std::string_view kind) {
  constexpr bool floats = std::numeric_limits<W>::has_infinity;
  if (kind == "maximum")
    return floats ? -std::numeric_limits<W>::infinity() : std::numeric_limits<W>::lowest();
  if (kind == "minimum")
    return floats ? std::numeric_limits<W>::infinity() : std::numeric_limits<W>::max();
  if (kind == "multiply") return 1;
  return kind == "and" ? static_cast<W>(-1) : 0;
}

template <class W>
auto combination(std::string_view kind) -> W (*)(W, W) {
  if (kind == "add") return [](W a, W b) { return a + b; };
  if (kind == "multiply") return [](W a, W b) { return a * b; };
  if (kind == "maximum") return [](W a, W b) { return a != a || a > b ? a : b; };
  if (kind == "minimum") return [](W a, W b) { return a != a || a < b ? a : b; };
  if constexpr (std::numeric_limits<W>::is_integer) {
    if (kind == "and") return [](W a, W b) { return a & b; };
    return [](W a, W b) { return a | b; };
  }
  return nullptr;
}

}  // namespace hornbeam
