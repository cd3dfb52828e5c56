// The attributes of a node: a few named constant values. Printing, comparing and hashing are
// written here once, for all ops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/tensor.h"

namespace hornbeam {

// The order of AttrKind is the order of the alternatives of AttrValue.
enum class AttrKind { boolean, integer, number, text, integers, tensor };
using Integers = std::vector<int64_t>;
using AttrValue =
    std::variant<bool, int64_t, double, std::string, Integers, std::shared_ptr<const Tensor>>;

std::string_view name_of(AttrKind kind);

// An attribute that an op has. A default-made one (empty name) marks the end of a list.
struct AttrSpec {
  std::string_view name;
  AttrKind kind = AttrKind::integer;
};

struct Attr {
  std::string_view name;  // one of the op's AttrSpec names, or a string literal equal to it
  AttrValue value;
};

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<Attr> attrs) : attrs_(attrs) {}
  explicit Attrs(std::vector<Attr> attrs) : attrs_(std::move(attrs)) {}

  auto begin() const { return attrs_.begin(); }
  auto end() const { return attrs_.end(); }
  size_t size() const { return attrs_.size(); }

  bool operator==(const Attrs& other) const;  // tensors by content
  size_t hash() const;

  // The value of an attribute that must be there with that kind (H901 otherwise).
  bool boolean(std::string_view name) const { return get<bool>(name); }
  int64_t integer(std::string_view name) const { return get<int64_t>(name); }
  double number(std::string_view name) const { return get<double>(name); }
  const std::string& text(std::string_view name) const { return get<std::string>(name); }
  const Integers& integers(std::string_view name) const { return get<Integers>(name); }
  const Tensor& tensor(std::string_view name) const {
    return *get<std::shared_ptr<const Tensor>>(name);
  }
  const AttrValue* find(std::string_view name) const;

 private:
  template <class T>
  const T& get(std::string_view name) const {
    const AttrValue* value = find(name);
    check(value != nullptr && std::holds_alternative<T>(*value), name);
    return std::get<T>(*value);
  }
  std::vector<Attr> attrs_;
};

}  // namespace hornbeam
