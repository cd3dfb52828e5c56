// Element types of tensors, and the C++ type that stands for each.
//
// `visit(dtype, f)` calls f.template operator()<T>() with the C++ type of the dtype: the one place
// where a run-time dtype becomes a compile-time type.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace hornbeam {

enum class DType : uint8_t { float32, float64, bfloat16, int32, int64, uint8, boolean };

// The upper half of a float32; conversion rounds to nearest, ties to even, and keeps NaN a NaN.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  bool operator==(const BFloat16&) const = default;
};

std::string_view name_of(DType dtype);         // "float32", …, "bool"
size_t size_of(DType dtype);                   // bytes of one element
bool is_floating(DType dtype);                 // float32, float64, bfloat16
DType dtype_from_name(std::string_view name);  // throws H701 on an unknown name

template <class T>
inline constexpr DType dtype_of = [] { static_assert(sizeof(T) == 0, "not an element type"); }();
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::bfloat16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::int32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::int64;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::uint8;
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;

template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32:
      return f.template operator()<float>();
    case DType::float64:
      return f.template operator()<double>();
    case DType::bfloat16:
      return f.template operator()<BFloat16>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::boolean:
      return f.template operator()<bool>();
  }
  __builtin_unreachable();
}

}  // namespace hornbeam
