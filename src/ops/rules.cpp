#include "ops/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "ops/reference.h"

namespace hornbeam {
namespace {

constexpr int64_t largest_length = (int64_t{1} << 62) - 1;  // two of them can be added

const Type& only_operand(const OpUse& use) {
  require_operands(use, 1);
  return use.operands[0];
}

const Type& equal_operands(const OpUse& use) {
  require_operands(use, 2);
  require_types(use.operands[0] == use.operands[1], [&] {
    return fmt::format("expected two operands of one type, received {} and {}",
                       to_string(use.operands[0]), to_string(use.operands[1]));
  });
  return use.operands[0];
}

Types of_kind(const Type& type, bool fits, std::string_view kind) {
  require_types(fits,
                [&] { return fmt::format("expected {}, received {}", kind, to_string(type)); });
  return {type};
}

}  // namespace

void refuse_types(const std::string& message) { throw Error("H701", {.message = message}); }

void require_operands(const OpUse& use, size_t count) {
  require_types(use.operands.size() == count, [&] {
    return fmt::format("expected {} operands, received {}", count, use.operands.size());
  });
}

bool is_integer(DType dtype) { return !is_floating(dtype) && dtype != DType::boolean; }
bool is_index(DType dtype) { return dtype == DType::int32 || dtype == DType::int64; }

Types same_floating(const OpUse& use) {
  const Type& type = only_operand(use);
  return of_kind(type, is_floating(type.dtype), "floats");
}

Types same_numeric(const OpUse& use) {
  const Type& type = only_operand(use);
  return of_kind(type, type.dtype != DType::boolean, "numbers");
}

Types same_pair(const OpUse& use) {
  const Type& type = equal_operands(use);
  return of_kind(type, type.dtype != DType::boolean, "numbers");
}

Types same_floating_pair(const OpUse& use) {
  const Type& type = equal_operands(use);
  return of_kind(type, is_floating(type.dtype), "floats");
}

Types same_bits(const OpUse& use) {
  const Type& type = only_operand(use);
  return of_kind(type, !is_floating(type.dtype), "integers or bool");
}

Types same_bits_pair(const OpUse& use) {
  const Type& type = equal_operands(use);
  return of_kind(type, !is_floating(type.dtype), "integers or bool");
}

Types same_integer_pair(const OpUse& use) {
  const Type& type = equal_operands(use);
  return of_kind(type, is_integer(type.dtype), "integers");
}

void require_axes(const Integers& axes, int64_t rank, const std::string& what) {
  Integers sorted = axes;
  std::ranges::sort(sorted);
  bool distinct = std::ranges::adjacent_find(sorted) == sorted.end();
  bool inside = sorted.empty() || (sorted.front() >= 0 && sorted.back() < rank);
  require_types(distinct && inside, [&] {
    return fmt::format("{} [{}] are not distinct axes of a tensor of rank {}", what,
                       fmt::join(axes, ","), rank);
  });
}

Integers axes_but(int64_t left_out, int64_t rank) {
  Integers axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != left_out) axes.push_back(axis);
  return axes;
}

int64_t dilated(int64_t extent, int64_t step) {
  if (extent <= 0) return 0;
  bool fits = extent == 1 || step < largest_length / (extent - 1);
  require_types(
      fits, [&] { return fmt::format("{} cells that lie {} apart are too many", extent, step); });
  return (extent - 1) * step + 1;
}

int64_t length_sum(std::initializer_list<int64_t> lengths) {
  int64_t sum = 0;
  for (int64_t length : lengths) {
    bool fits = length >= -largest_length && length <= largest_length;
    if (fits) sum += length;
    fits = fits && sum >= -largest_length && sum <= largest_length;
    require_types(
        fits, [&] { return fmt::format("a length of {} is too much", fmt::join(lengths, " + ")); });
  }
  return sum;
}

void copy_elements(const Tensor& x, int64_t from_offset, std::vector<int64_t> from, Tensor& y,
                   int64_t to_offset, std::vector<int64_t> to, const Shape& shape) {
  size_t size = size_of(x.dtype());
  Walk walk(shape, {std::move(from), std::move(to)});
  for (int64_t count = shape.elements(); count > 0; --count) {
    std::memcpy(y.data() + static_cast<size_t>(to_offset + walk.offset(1)) * size,
                x.data() + static_cast<size_t>(from_offset + walk.offset(0)) * size, size);
    walk.next();
  }
}

std::vector<int64_t> strides_along(const Shape& shape, const std::vector<int64_t>& axes) {
  std::vector<int64_t> all = shape.strides(), result;
  for (int64_t axis : axes) result.push_back(all[static_cast<size_t>(axis)]);
  return result;
}

}  // namespace hornbeam
