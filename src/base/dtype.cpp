#include "base/dtype.h"

#include <array>
#include <cmath>

#include "base/error.h"

namespace hornbeam {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 7> names{{
    {"float32", DType::float32},
    {"float64", DType::float64},
    {"bfloat16", DType::bfloat16},
    {"int32", DType::int32},
    {"int64", DType::int64},
    {"uint8", DType::uint8},
    {"bool", DType::boolean},
}};

}  // namespace

BFloat16::BFloat16(float value) {
  uint32_t word = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) {
    bits = static_cast<uint16_t>((word >> 16) | 0x40);
    return;
  }
  uint32_t round_to_even = 0x7fff + ((word >> 16) & 1);
  bits = static_cast<uint16_t>((word + round_to_even) >> 16);
}

std::string_view name_of(DType dtype) { return names[static_cast<size_t>(dtype)].first; }

size_t size_of(DType dtype) {
  return visit(dtype, []<class T>() { return sizeof(T); });
}

bool is_floating(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::bfloat16;
}

DType dtype_from_name(std::string_view name) {
  for (auto [known, dtype] : names)
    if (known == name) return dtype;
  throw Error("H701", {.message = "unknown element type '" + std::string(name) + "'",
                       .help = "the element types are float32, float64, bfloat16, int32, int64, "
                               "uint8 and bool"});
}

}  // namespace hornbeam
