#include "stablehlo/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hornbeam {
namespace {

std::string_view element_name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "f32";
    case DType::float64:
      return "f64";
    case DType::bfloat16:
      return "bf16";
    case DType::int32:
      return "i32";
    case DType::int64:
      return "i64";
    case DType::uint8:
      return "ui8";
    case DType::boolean:
      return "i1";
  }
  __builtin_unreachable();
}

std::string number_text(bool value) { return value ? "true" : "false"; }
template <class T>
requires std::is_integral_v<T> std::string number_text(T value) { return fmt::format("{}", value); }

// The shortest digits that give the same number, with the point that MLIR asks for; bits where
// there are no digits.
template <class T, class Bits>
std::string float_text(T value, Bits bits) {
  if (!std::isfinite(value)) return fmt::format("0x{:0{}X}", bits, 2 * sizeof(Bits));
  std::string text = fmt::format("{}", value);
  if (text.find('.') == text.npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}
std::string number_text(float value) { return float_text(value, std::bit_cast<uint32_t>(value)); }
std::string number_text(double value) { return float_text(value, std::bit_cast<uint64_t>(value)); }
std::string number_text(BFloat16 value) {
  return float_text(static_cast<float>(value), value.bits);
}

template <class T>
std::string nested(const T*& next, const Shape& shape, int64_t axis) {
  if (axis == shape.rank()) return number_text(*next++);
  std::vector<std::string> parts;
  for (int64_t i = 0; i < shape[axis]; ++i) parts.push_back(nested(next, shape, axis + 1));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

template <class T>
bool all_alike(std::span<const T> values) {
  return std::ranges::all_of(
      values, [&](const T& value) { return std::memcmp(&value, &values[0], sizeof(T)) == 0; });
}

template <class T>
std::string dense(const Tensor& tensor) {
  std::span<const T> values = tensor.values<T>();
  if (values.empty()) return "";
  const T* next = values.data();
  return nested(next, all_alike(values) ? Shape{} : tensor.shape(), 0);
}

}  // namespace

std::string stablehlo_type(const Type& type) {
  std::string text = "tensor<";
  for (int64_t extent : type.shape) text += fmt::format("{}x", extent);
  return fmt::format("{}{}>", text, element_name(type.dtype));
}

std::string stablehlo_types(const Types& types) {
  std::vector<std::string> parts;
  for (const Type& type : types) parts.push_back(stablehlo_type(type));
  return fmt::format("({})", fmt::join(parts, ", "));
}

std::string stablehlo_constant(const Tensor& tensor) {
  std::string numbers;
  visit(tensor.dtype(), [&]<class T>() { numbers = dense<T>(tensor); });
  return fmt::format("dense<{}> : {}", numbers, stablehlo_type({tensor.dtype(), tensor.shape()}));
}

std::string integer_array(const Integers& values) {
  return values.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string integer_list(const Integers& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string integer(int64_t value) { return fmt::format("{} : i64", value); }

std::string paddings(const Integers& low, const Integers& high) {
  Tensor pairs(DType::int64, {static_cast<int64_t>(low.size()), 2});
  for (size_t i = 0; i < low.size(); ++i) {
    pairs.values<int64_t>()[2 * i] = low[i];
    pairs.values<int64_t>()[2 * i + 1] = high[i];
  }
  return stablehlo_constant(pairs);
}

}  // namespace hornbeam
