#include "cli/function_form.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace hornbeam {
namespace {

constexpr int deepest = 20;

class Parser {
 public:
  Parser(std::string_view text, std::string_view option) : text_(text), option_(option) {}

  Json whole() {
    Json value = this->value(0);
    if (peek() != 0) fail("nothing more is expected here");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error("H302", {.message = fmt::format("'{}' cannot be understood at character {}: {}",
                                                text_, position_ + 1, why),
                         .place = std::string(option_),
                         .help = "write ClassName(key=value, …) as Keras has it"});
  }

  char peek() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size() ? text_[position_] : 0;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' is expected", c));
  }

  Json value(int depth) {
    if (depth > deepest) fail("it is nested too deeply");
    char c = peek();
    if (c == '\'' || c == '"') return quoted();
    if (c == '[') return list(']', depth);
    if (c == '(') return list(')', depth);
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.')
      return number();
    return word_or_call(depth);
  }

  Json quoted() {
    char quote = text_[position_++];
    size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) fail("a quote is not closed");
    Json value(text_.substr(position_, end - position_));
    position_ = end + 1;
    return value;
  }

  Json list(char close, int depth) {
    ++position_;
    Json::Array items;
    while (!accept(close)) {
      items.push_back(value(depth + 1));
      if (!accept(',') && peek() != close) fail(fmt::format("',' or '{}' is expected", close));
    }
    return items;
  }

  Json number() {
    bool whole = true;
    double first = digits(whole);
    if (!accept('/')) return whole ? Json(static_cast<int64_t>(first)) : Json(first);
    double second = digits(whole);
    if (second == 0) fail("a division by zero");
    return Json(first / second);
  }

  double digits(bool& whole) {
    peek();
    if (position_ < text_.size() && text_[position_] == '+') ++position_;
    double value = 0;
    const char* start = text_.data() + position_;
    auto [end, failure] = std::from_chars(start, text_.data() + text_.size(), value);
    if (failure != std::errc()) fail("a number is expected");
    std::string_view used(start, static_cast<size_t>(end - start));
    whole &= used.find_first_of(".eEn") == std::string_view::npos && used.size() < 16;
    position_ += used.size();
    return value;
  }

  Json word_or_call(int depth) {
    size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    std::string_view word = text_.substr(start, position_ - start);
    if (word.empty()) fail("a name or a value is expected");
    if (accept('(')) return call(word, depth);
    if (word == "True" || word == "true") return true;
    if (word == "False" || word == "false") return false;
    if (word == "None" || word == "null") return nullptr;
    return word;
  }

  Json call(std::string_view name, int depth) {
    Json config = Json::object({});
    while (!accept(')')) {
      peek();
      size_t start = position_;
      while (position_ < text_.size() && is_word(text_[position_])) ++position_;
      std::string key(text_.substr(start, position_ - start));
      if (key.empty()) fail("a key is expected");
      if (config.find(key) != nullptr) fail(fmt::format("'{}' is given before", key));
      expect('=');
      config.set(key, value(depth + 1));
      if (!accept(',') && peek() != ')') fail("',' or ')' is expected");
    }
    return Json::object({{"class_name", name}, {"config", config}});
  }

  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view text_, option_;
  size_t position_ = 0;
};

}  // namespace

Json parse_function_form(std::string_view text, std::string_view option) {
  Json form = Parser(text, option).whole();
  if (form.is_text() || form.is_object()) return form;
  throw Error("H302", {.message = fmt::format("'{}' is no name and no call", text),
                       .place = std::string(option)});
}

}  // namespace hornbeam
