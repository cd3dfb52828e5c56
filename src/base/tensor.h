// A typed, shaped block of host memory: the only holder of numbers outside a backend.
//
// A value: copying copies the numbers. Row-major, 64-byte aligned, zero-filled when made. A view is
// the exception: it looks at numbers that somebody else owns and must outlive it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/shape.h"

namespace hornbeam {

class Tensor {
 public:
  Tensor() : Tensor(DType::float32, Shape{0}) {}
  Tensor(DType dtype, Shape shape);
  Tensor(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor& other) { return *this = Tensor(other); }
  Tensor& operator=(Tensor&&) noexcept = default;

  template <class T>
  static Tensor of(Shape shape, std::span<const T> values);
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>(Shape{}, {value});
  }

  // A view, of nothing until look_at() gives it a block of the right size.
  static Tensor view(DType dtype, Shape shape);
  void look_at(std::byte* data);  // a view only; allocates nothing

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t elements() const { return elements_; }
  size_t bytes() const { return static_cast<size_t>(elements_) * size_of(dtype_); }
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }

  // The numbers as T, which must be the tensor's element type (H901 otherwise).
  template <class T>
  std::span<T> values() {
    check(dtype_ == dtype_of<T>, "a tensor is read as another element type than its own");
    return {reinterpret_cast<T*>(data_.get()), static_cast<size_t>(elements_)};
  }
  template <class T>
  std::span<const T> values() const {
    return const_cast<Tensor*>(this)->values<T>();
  }

  // The same numbers under another shape of as many elements.
  Tensor reshaped(Shape shape) const;
  // Every number converted as C++ converts it (to bool: whether it is not zero).
  Tensor converted(DType dtype) const&;
  Tensor converted(DType dtype) &&;  // itself when it has the type
  // Takes the numbers of a tensor of as many elements, converted so.
  void convert_from(const Tensor& source);

 private:
  struct Free {
    bool borrowed;
    void operator()(std::byte* data) const;
  };
  struct ViewTag {};
  Tensor(DType dtype, Shape shape, ViewTag);

  DType dtype_;
  Shape shape_;
  int64_t elements_ = 0;
  std::unique_ptr<std::byte[], Free> data_;
};

// Same dtype, shape and bits.
bool identical(const Tensor& a, const Tensor& b);

template <class T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
  Tensor tensor(dtype_of<T>, std::move(shape));
  check(tensor.elements() == static_cast<int64_t>(values.size()),
        "as many values as the shape has elements");
  std::copy(values.begin(), values.end(), tensor.values<T>().begin());
  return tensor;
}

}  // namespace hornbeam
