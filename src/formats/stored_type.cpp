#include "formats/stored_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "formats/float16.h"

namespace hornbeam {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

struct Float16 {
  uint16_t bits;
  explicit operator float() const { return float16_to_float32(bits); }
};

struct Boolean {  // any byte but 0 is true; a C++ bool may hold nothing but 0 and 1
  uint8_t byte;
  explicit operator bool() const { return byte != 0; }
};

template <class From, class To>
Tensor decode(std::span<const std::byte> data, bool swapped, const Shape& shape) {
  Tensor result(dtype_of<To>, shape);
  if (data.empty()) return result;
  if (std::is_same_v<From, To> && !swapped) {
    std::memcpy(result.data(), data.data(), result.bytes());
    return result;
  }
  auto target = result.values<To>();
  for (size_t i = 0; i < target.size(); ++i) {
    std::array<std::byte, sizeof(From)> element;
    std::memcpy(element.data(), data.data() + i * sizeof(From), sizeof(From));
    if (swapped) std::reverse(element.begin(), element.end());
    target[i] = static_cast<To>(std::bit_cast<From>(element));
  }
  return result;
}

template <class From, class To>
constexpr StoredType stored(std::string_view code) {
  return {code, sizeof(From), dtype_of<To>, decode<From, To>};
}

constexpr StoredType stored_types[] = {
    stored<float, float>("f4"),      stored<double, double>("f8"),
    stored<Float16, float>("f2"),    stored<BFloat16, BFloat16>("bfloat16"),
    stored<Boolean, bool>("b1"),     stored<uint8_t, uint8_t>("u1"),
    stored<int8_t, int32_t>("i1"),   stored<int16_t, int32_t>("i2"),
    stored<uint16_t, int32_t>("u2"), stored<int32_t, int32_t>("i4"),
    stored<uint32_t, int64_t>("u4"), stored<int64_t, int64_t>("i8"),
    stored<uint64_t, int64_t>("u8"),
};

}  // namespace

const StoredType* find_stored_type(std::string_view code) {
  for (const StoredType& type : stored_types)
    if (type.code == code) return &type;
  return nullptr;
}

const StoredType& stored_type_of(DType dtype) {
  for (const StoredType& type : stored_types)
    if (type.dtype == dtype && type.size == size_of(dtype)) return type;
  check(false, "every dtype has a stored type");
  return stored_types[0];
}

std::optional<uint64_t> wrapped_number(const StoredType& type, const Tensor& decoded) {
  if (type.code != "u8") return std::nullopt;
  for (int64_t value : decoded.values<int64_t>())
    if (value < 0) return static_cast<uint64_t>(value);
  return std::nullopt;
}

}  // namespace hornbeam
