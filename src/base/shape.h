// The extents of a tensor, outermost first; row-major everywhere. An empty shape is a scalar.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace hornbeam {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : extents_(extents) {}
  explicit Shape(std::vector<int64_t> extents) : extents_(std::move(extents)) {}

  int64_t rank() const { return static_cast<int64_t>(extents_.size()); }
  int64_t operator[](int64_t axis) const { return extents_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int64_t axis) { return extents_[static_cast<size_t>(axis)]; }
  auto begin() const { return extents_.begin(); }
  auto end() const { return extents_.end(); }
  const std::vector<int64_t>& extents() const { return extents_; }
  bool operator==(const Shape&) const = default;

  // The product of the extents. Throws H701 when an extent is negative or the product exceeds 2^62.
  int64_t elements() const;
  // Elements to step over to reach the next index of each axis.
  std::vector<int64_t> strides() const;

 private:
  std::vector<int64_t> extents_;
};

std::string to_string(const Shape& shape);  // "(128, 32, 32, 3)", "()"

// `axis` counted from the end when negative; throws H701 when outside -rank … rank-1.
int64_t normalized_axis(int64_t axis, int64_t rank);

}  // namespace hornbeam
