#include "ir/attrs.h"

#include <algorithm>
#include <array>
#include <functional>

namespace hornbeam {
namespace {

bool same(const AttrValue& a, const AttrValue& b) {
  using TensorPointer = std::shared_ptr<const Tensor>;
  auto left = std::get_if<TensorPointer>(&a);
  auto right = std::get_if<TensorPointer>(&b);
  if (left && right) return *left == *right || identical(**left, **right);
  return a == b;
}

size_t combine(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

template <class T>
size_t hash_value(const T& value) {
  return std::hash<T>{}(value);
}
size_t hash_value(const Integers& values) {
  size_t seed = values.size();
  for (int64_t value : values) seed = combine(seed, hash_value(value));
  return seed;
}
size_t hash_value(const std::shared_ptr<const Tensor>& tensor) {
  size_t bytes = std::min<size_t>(tensor->bytes(), 64);  // the first bytes tell most tensors apart
  std::string_view head(reinterpret_cast<const char*>(tensor->data()), bytes);
  return combine(tensor->bytes(), std::hash<std::string_view>{}(head));
}

}  // namespace

std::string_view name_of(AttrKind kind) {
  constexpr std::array<std::string_view, 6> names{"boolean", "integer",  "number",
                                                  "text",    "integers", "tensor"};
  return names[static_cast<size_t>(kind)];
}

bool Attrs::operator==(const Attrs& other) const {
  return std::equal(begin(), end(), other.begin(), other.end(), [](const Attr& a, const Attr& b) {
    return a.name == b.name && same(a.value, b.value);
  });
}

size_t Attrs::hash() const {
  size_t seed = attrs_.size();
  for (const Attr& attr : attrs_)
    seed =
        combine(seed, std::visit([](const auto& value) { return hash_value(value); }, attr.value));
  return seed;
}

const AttrValue* Attrs::find(std::string_view name) const {
  for (const Attr& attr : attrs_)
    if (attr.name == name) return &attr.value;
  return nullptr;
}

}  // namespace hornbeam
