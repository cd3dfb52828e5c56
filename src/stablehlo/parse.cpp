#include "stablehlo/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hornbeam::stablehlo {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Function function() {
    Function function;
    expect("module");
    skip_until('{');
    balanced('{', '}');
    expect("{");
    expect("func.func public @main(");
    function.body.arguments = arguments();
    expect(")");
    expect("->");
    function.result_types = types();
    expect("{");
    function.body.operations = operations();
    expect("}");
    expect("}");
    if (peek() != 0) fail("nothing after the module");
    return function;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw Error("H702", {.message = fmt::format("expected {}, received '{}'", expected,
                                                text_.substr(at_, 20)),
                         .place = fmt::format("StableHLO, line {}", line())});
  }

  int line() const { return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at_), '\n')); }

  // Spaces and comments.
  void skip() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (is_space(text_[at_]))
        ++at_;
      else
        return;
    }
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}'", token));
  }
  void skip_until(char c) { at_ = std::min(text_.find(c, at_), text_.size()); }

  template <class Item>
  void list(char end, Item item) {
    if (peek() == end) return;
    do item();
    while (take(","));
  }

  // What stands between an opening and its closing bracket; the arrow closes nothing.
  std::string_view balanced(char open, char close) {
    expect(std::string_view(&open, 1));
    const size_t begin = at_;
    for (int depth = 1; at_ < text_.size(); ++at_) {
      const bool arrow = text_[at_] == '>' && text_[at_ - 1] == '-';
      if (text_[at_] == open) ++depth;
      if (text_[at_] == close && !arrow && --depth == 0) return text_.substr(begin, at_++ - begin);
    }
    fail(fmt::format("a closing '{}'", close));
  }

  std::string word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin) fail("a word");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string value_name() {
    expect("%");
    std::string name = "%" + word();
    if (take("#")) name += "#" + word();
    return name;
  }
  std::string type() {
    expect("tensor");
    return fmt::format("tensor<{}>", balanced('<', '>'));
  }
  std::vector<std::string> types() {
    std::vector<std::string> all;
    if (!take("(")) return {type()};
    list(')', [&] { all.push_back(type()); });
    expect(")");
    return all;
  }

  // "name: type {attributes}, …" up to a closing parenthesis.
  std::vector<TypedName> arguments() {
    std::vector<TypedName> all;
    list(')', [&] {
      all.push_back({value_name(), ""});
      expect(":");
      all.back().type = type();
      if (peek() == '{') balanced('{', '}');
    });
    return all;
  }

  void attribute(Operation& operation, std::string_view part) {
    const size_t equal = part.find(" = ");
    if (equal == part.npos) fail("an attribute with a value");
    const size_t begin = std::min(part.find_first_not_of(' '), equal);
    operation.attributes.emplace_back(part.substr(begin, equal - begin), part.substr(equal + 3));
  }

  // Commas inside of brackets part nothing.
  void attributes(Operation& operation) {
    std::string_view all = balanced('{', '}');
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool arrow = all[i] == '>' && all[i - 1] == '-';
      if (all[i] == '<' || all[i] == '[') ++depth;
      if ((all[i] == '>' && !arrow) || all[i] == ']') --depth;
      if (all[i] != ',' || depth != 0) continue;
      attribute(operation, all.substr(begin, i - begin));
      begin = i + 1;
    }
    attribute(operation, all.substr(begin));
  }

  Region region() {
    Region region;
    expect("{");
    expect("^bb0(");
    region.arguments = arguments();
    expect("):");
    region.operations = operations();
    expect("}");
    return region;
  }

  void result(Operation& operation) {
    operation.result = value_name();
    operation.results = 1;
    if (take(":")) operation.results = std::stoul(word());
    expect("=");
  }

  Operation operation() {
    Operation operation;
    if (peek() == '%') result(operation);
    operation.line = line();
    expect("\"");
    operation.name = word();
    expect("\"");
    expect("(");
    list(')', [&] { operation.operands.push_back(value_name()); });
    expect(")");
    if (take("(")) {
      list(')', [&] { operation.regions.push_back(region()); });
      expect(")");
    }
    if (peek() == '{') attributes(operation);
    expect(":");
    operation.operand_types = types();
    expect("->");
    operation.result_types = types();
    return operation;
  }

  std::vector<Operation> operations() {
    std::vector<Operation> all;
    while (peek() == '%' || peek() == '"') all.push_back(operation());
    return all;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Function parse(std::string_view text) { return Parser(text).function(); }

}  // namespace hornbeam::stablehlo
