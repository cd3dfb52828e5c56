// JSON values: configurations of models, as Keras writes them. Objects keep the order of their
// keys; whole numbers and numbers with a point are kept apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hornbeam {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(int64_t{value}) {}
  Json(int64_t value) : value_(value) {}
  Json(uint64_t value);  // the numbers that int64 holds are the same as those
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  static Json object(std::initializer_list<Member> members) { return Json(Object(members)); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<int64_t>(value_) || is_large(); }
  bool is_large() const { return std::holds_alternative<uint64_t>(value_); }  // above int64
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool operator==(const Json&) const = default;

  // The value, which must be of that kind (H104 saying what it is instead).
  bool as_bool() const;
  int64_t as_integer() const;  // also of a number without a fraction
  uint64_t as_large() const;   // of an integer that is not negative
  double as_number() const;
  const std::string& as_text() const;
  const Array& as_array() const;
  const Object& as_object() const;

  // The member of an object, or nullptr when there is none or this is no object.
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);
  // The member of an object, which must be there (H104).
  const Json& at(std::string_view key) const;
  // Sets a member of an object; a null becomes an empty object first. New keys go to the end.
  void set(std::string_view key, Json value);
  void erase(std::string_view key);

  std::string_view kind() const;  // "null", "bool", "integer", "number", "text", "array", "object"

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object, uint64_t> value_;
};

// Throws H104 with the place and the position for text that is not JSON or nested deeper than 200.
Json parse_json(std::string_view text, const std::string& place);
// As Python's json.dumps writes it: `", "` and `": "`, numbers with a point keep it, ASCII only.
std::string json_text(const Json& value);
// The same for programs that read JSON to the letter: a number that is not finite is null.
std::string strict_json_text(const Json& value);

}  // namespace hornbeam
