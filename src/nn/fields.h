// Fields reads and writes the configuration of a Keras object: each key is said once, in the
// object's `fields` function, and serves both ways.
//
// Reading: keys that the object does not name are refused at the end (H111, with the nearest right
// one). A key that is known and not supported is accepted only with its neutral value. A key that
// is missing leaves the default.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/shape.h"

namespace hornbeam {

class Fields {
 public:
  // `place` names the object in errors: "model/conv (Conv2D)".
  static Fields reader(const Json& config, std::string place);
  static Fields writer();

  bool reading() const { return reading_; }
  const std::string& place() const { return place_; }

  void operator()(std::string_view key, bool& value);
  void operator()(std::string_view key, int64_t& value);
  void operator()(std::string_view key, double& value);
  void operator()(std::string_view key, std::string& value);
  void operator()(std::string_view key, std::optional<double>& value);
  void operator()(std::string_view key, std::optional<int64_t>& value);
  // A list of whole numbers. A single number stands for `count` equal ones when count > 0, and a
  // list must then have that length.
  void operator()(std::string_view key, std::vector<int64_t>& value, size_t count);
  // Anything else: `read` gets the value when the key is there, `write` gives it.
  void custom(std::string_view key, const std::function<void(const Json&)>& read,
              const std::function<Json()>& write);

  // A key that other versions of Keras write: accepted with one of these values, never written.
  void neutral(std::string_view key, std::initializer_list<Json> values);
  // A key whose value makes no difference to us.
  void ignore(std::string_view key);
  // A key whose value makes no difference to us and is written as it was read; null when it was
  // not.
  void kept(std::string_view key, Json& value);
  // A key that Keras wants to read, with the only value there is.
  void fixed(std::string_view key, Json value);

  // After all fields, when reading: refuses what is left. When writing: the configuration.
  void require_all_known() const;
  Json config() && { return std::move(config_); }

  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;

 private:
  const Json* take(std::string_view key);
  void put(std::string_view key, Json value) { config_.set(key, std::move(value)); }
  template <class T, class Get>
  void simple(std::string_view key, T& value, Get get);

  bool reading_ = false;
  std::string place_;
  Json config_ = Json(Json::Object{});  // reading: what there is; writing: what was put
  std::vector<std::string> named_;
};

}  // namespace hornbeam
