// JSON text to values and back. The library's header stays in this file.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace hornbeam {
namespace {

constexpr size_t deepest = 200;

// Receives the events of the library's reader and builds a Json.
class Receiver : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Receiver(const std::string& place) : place_(place) {}
  Json result() { return std::move(root_); }

  bool null() override { return put(Json()); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override { return put(uint64_t{value}); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json(Json::Object{})); }
  bool start_array(size_t) override { return open(Json(Json::Array{})); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string text = error.what();
    refuse(text.substr(std::min(text.size(), text.find("] ") + 2)), position);
  }

 private:
  struct Open {
    Json value;
    std::string key;
  };

  [[noreturn]] void refuse(const std::string& why, size_t position) {
    throw Error("H104", {.message = "the JSON text is damaged: " + why,
                         .place = fmt::format("{}, character {}", place_, position)});
  }

  bool open(Json container) {
    if (open_.size() >= deepest) refuse("it is nested too deeply", 0);
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(done));
  }

  // A repeated key replaces the earlier value, as in Python.
  bool put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_object()) {
      open_.back().value.set(open_.back().key, std::move(value));
    } else {
      const_cast<Json::Array&>(open_.back().value.as_array()).push_back(std::move(value));
    }
    return true;
  }

  const std::string& place_;
  Json root_;
  std::vector<Open> open_;
};

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// How numbers that are not finite are written; JSON itself has no word for them.
enum class Dialect { python, strict };

class Writer {
 public:
  explicit Writer(Dialect dialect) : dialect_(dialect) {}
  std::string text() { return std::move(out_); }

  void append(const Json& value) {
    if (value.is_null()) {
      out_ += "null";
    } else if (value.is_bool()) {
      out_ += value.as_bool() ? "true" : "false";
    } else if (value.is_number()) {
      append_number(value);
    } else if (value.is_text()) {
      out_ += quoted(value.as_text());
    } else if (value.is_array()) {
      append_array(value.as_array());
    } else {
      append_object(value.as_object());
    }
  }

 private:
  void append_number(const Json& value) {
    if (value.is_large())
      out_ += fmt::format("{}", value.as_large());
    else if (value.is_integer())
      out_ += fmt::format("{}", value.as_integer());
    else if (dialect_ == Dialect::strict && !std::isfinite(value.as_number()))
      out_ += "null";
    else
      out_ += number_text(value.as_number());
  }

  void append_array(const Json::Array& items) {
    const char* separator = "[";
    for (const Json& item : items) {
      out_ += std::exchange(separator, ", ");
      append(item);
    }
    out_ += items.empty() ? "[]" : "]";
  }

  void append_object(const Json::Object& members) {
    const char* separator = "{";
    for (const auto& [key, item] : members) {
      out_ += std::exchange(separator, ", ") + quoted(key) + ": ";
      append(item);
    }
    out_ += members.empty() ? "{}" : "}";
  }

  Dialect dialect_;
  std::string out_;
};

std::string text_in(Dialect dialect, const Json& value) {
  Writer writer(dialect);
  writer.append(value);
  return writer.text();
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place) {
  Receiver receiver(place);
  nlohmann::json::sax_parse(text, &receiver);
  return receiver.result();
}

std::string json_text(const Json& value) { return text_in(Dialect::python, value); }

std::string strict_json_text(const Json& value) { return text_in(Dialect::strict, value); }

}  // namespace hornbeam
