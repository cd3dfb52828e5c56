#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace hornbeam {
namespace {

[[noreturn]] void refuse_kind(std::string_view expected, const Json& value) {
  std::string text = json_text(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw Error("H104", {.message = fmt::format("expected {}, received {} {}", expected, value.kind(),
                                              text)});
}

template <class T, class Value>
const T& expect(const Value& value, std::string_view expected, const Json& json) {
  if (auto found = std::get_if<T>(&value)) return *found;
  refuse_kind(expected, json);
}

}  // namespace

Json::Json(uint64_t value) {
  if (value <= INT64_MAX)
    value_ = static_cast<int64_t>(value);
  else
    value_ = value;
}

std::string_view Json::kind() const {
  constexpr std::array<std::string_view, 8> kinds{"null", "bool",  "integer", "number",
                                                  "text", "array", "object",  "integer"};
  return kinds[value_.index()];
}

bool Json::as_bool() const { return expect<bool>(value_, "true or false", *this); }

int64_t Json::as_integer() const {
  if (auto number = std::get_if<double>(&value_))
    if (std::trunc(*number) == *number && std::abs(*number) < 0x1p62)
      return static_cast<int64_t>(*number);
  return expect<int64_t>(value_, "a whole number", *this);
}

uint64_t Json::as_large() const {
  if (auto number = std::get_if<int64_t>(&value_); number != nullptr && *number >= 0)
    return static_cast<uint64_t>(*number);
  return expect<uint64_t>(value_, "a whole number from 0", *this);
}

double Json::as_number() const {
  if (auto number = std::get_if<int64_t>(&value_)) return static_cast<double>(*number);
  if (auto number = std::get_if<uint64_t>(&value_)) return static_cast<double>(*number);
  return expect<double>(value_, "a number", *this);
}

const std::string& Json::as_text() const { return expect<std::string>(value_, "a text", *this); }
const Json::Array& Json::as_array() const { return expect<Array>(value_, "a list", *this); }
const Json::Object& Json::as_object() const { return expect<Object>(value_, "an object", *this); }

const Json* Json::find(std::string_view key) const {
  auto object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  auto found = std::ranges::find(*object, key, &Member::first);
  return found == object->end() ? nullptr : &found->second;
}

Json* Json::find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }

const Json& Json::at(std::string_view key) const {
  as_object();
  if (const Json* found = find(key)) return *found;
  throw Error("H104", {.message = fmt::format("the key '{}' is missing", key)});
}

void Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  as_object();
  if (Json* found = find(key)) {
    *found = std::move(value);
    return;
  }
  std::get<Object>(value_).emplace_back(std::string(key), std::move(value));
}

void Json::erase(std::string_view key) {
  if (auto object = std::get_if<Object>(&value_))
    std::erase_if(*object, [&](const Member& member) { return member.first == key; });
}

}  // namespace hornbeam
