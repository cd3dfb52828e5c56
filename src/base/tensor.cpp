#include "base/tensor.h"

#include <cstring>
#include <new>

namespace hornbeam {
namespace {

constexpr std::align_val_t alignment{64};

template <class To, class From>
To convert_number(From value) {
  auto widened = [&] {
    if constexpr (std::is_same_v<From, BFloat16>)
      return static_cast<float>(value);
    else
      return value;
  }();
  if constexpr (std::is_same_v<To, bool>)
    return widened != 0;
  else if constexpr (std::is_same_v<To, BFloat16>)
    return BFloat16(static_cast<float>(widened));
  else
    return static_cast<To>(widened);
}

}  // namespace

void Tensor::Free::operator()(std::byte* data) const {
  if (!borrowed) ::operator delete[](data, alignment);
}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), elements_(shape_.elements()) {
  size_t size = bytes();
  data_.reset(static_cast<std::byte*>(::operator new[](std::max<size_t>(size, 1), alignment)));
  std::memset(data_.get(), 0, size);
}

Tensor::Tensor(const Tensor& other) : Tensor(other.dtype_, other.shape_) {
  std::memcpy(data_.get(), other.data_.get(), bytes());
}

Tensor::Tensor(DType dtype, Shape shape, ViewTag)
    : dtype_(dtype),
      shape_(std::move(shape)),
      elements_(shape_.elements()),
      data_(nullptr, Free{.borrowed = true}) {}

Tensor Tensor::view(DType dtype, Shape shape) { return {dtype, std::move(shape), ViewTag{}}; }

void Tensor::look_at(std::byte* data) {
  check(data_.get_deleter().borrowed, "only a view may look at another's numbers");
  data_.reset(data);
}

Tensor Tensor::reshaped(Shape shape) const {
  check(shape.elements() == elements_, "a reshape keeps the number of elements");
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Tensor Tensor::converted(DType dtype) const& {
  Tensor result(dtype, shape_);
  result.convert_from(*this);
  return result;
}

Tensor Tensor::converted(DType dtype) && {
  if (dtype == dtype_) return std::move(*this);
  return std::as_const(*this).converted(dtype);
}

void Tensor::convert_from(const Tensor& source) {
  check(source.elements_ == elements_, "a conversion keeps the number of elements");
  visit(source.dtype_, [&]<class From>() {
    visit(dtype_, [&]<class To>() {
      auto from = source.values<From>();
      auto to = values<To>();
      for (size_t i = 0; i < from.size(); ++i) to[i] = convert_number<To>(from[i]);
    });
  });
}

bool identical(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

}  // namespace hornbeam
