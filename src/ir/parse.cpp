#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/error.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace hornbeam {
namespace {

// Reads the tokens of one text. Every read is bounded by the end of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("H702", {.message = "graph text: " + what, .place = fmt::format("line {}", line_)});
  }

  bool at_end() { return skip_space(), position_ >= text_.size(); }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }

  std::string_view word() {
    skip_space();
    size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    if (start == position_) fail("expected a name");
    return text_.substr(start, position_ - start);
  }

  std::string quoted() {
    expect("\"");
    size_t end = text_.find('"', position_);
    if (end == std::string_view::npos) fail("a quote is not closed");
    std::string result(text_.substr(position_, end - position_));
    position_ = end + 1;
    return result;
  }

  template <class T>
  T number() {
    skip_space();
    T value{};
    const char* start = text_.data() + position_;
    auto [end, failure] = std::from_chars(start, text_.data() + text_.size(), value);
    if (failure != std::errc()) fail("expected a number");
    position_ += static_cast<size_t>(end - start);
    return value;
  }

  std::string_view number_token() {
    skip_space();
    size_t end = std::min(text_.find_first_of(",]} \n", position_), text_.size());
    std::string_view token = text_.substr(position_, end - position_);
    position_ = end;
    return token;
  }

  // item, item, … up to `close`
  template <class Item>
  void list(std::string_view close, Item item) {
    if (accept(close)) return;
    do item();
    while (accept(","));
    expect(close);
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  }

  void skip_space() {
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (c == '#') {
        while (position_ < text_.size() && text_[position_] != '\n') ++position_;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        line_ += c == '\n';
        ++position_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
};

constexpr int deepest_body = 16;

class Parser {
 public:
  Parser(std::string_view text, std::span<const OpDef* const> ops) : scan_(text) {
    for (const OpDef* op : ops) ops_[op->name] = op;
    ops_[constant_op.name] = &constant_op;
  }

  Graph whole() {
    Graph graph = body(0);
    if (!scan_.at_end()) scan_.fail("expected a node or an output");
    return graph;
  }

 private:
  using Names = std::map<int64_t, Exprs>;

  Graph body(int depth) {
    if (depth > deepest_body) scan_.fail("graphs are nested too deeply");
    Builder build;
    Names names;
    while (true) {
      if (scan_.accept("%"))
        node(build, names, depth);
      else if (scan_.accept("output"))
        output(build, names);
      else
        break;
    }
    return build.finish();
  }

  void node(Builder& build, Names& names, int depth) {
    int64_t number = scan_.number<int64_t>();
    if (names.contains(number)) scan_.fail(fmt::format("%{} is defined twice", number));
    scan_.expect("=");
    std::string_view op = scan_.word();
    names[number] = op == "input" ? Exprs{input(build)} : operation(build, names, op, depth);
  }

  Expr input(Builder& build) {
    std::string name = scan_.quoted();
    Role input_role = role();
    scan_.expect(":");
    Type input_type = type();
    scope(build);
    return build.input(std::move(name), std::move(input_type), input_role);
  }

  Exprs operation(Builder& build, const Names& names, std::string_view name, int depth) {
    auto found = ops_.find(name);
    if (found == ops_.end()) scan_.fail(fmt::format("unknown op '{}'", name));
    const OpDef& op = *found->second;
    Exprs operands;
    if (scan_.accept("(")) scan_.list(")", [&] { operands.push_back(value(names)); });
    std::vector<Attr> attrs;
    if (scan_.accept("{")) scan_.list("}", [&] { attrs.push_back(attr(op, attrs.size())); });
    scan_.expect(":");
    Types types;
    do types.push_back(type());
    while (scan_.accept(","));
    scope(build);
    complete_constant(attrs, types);
    Bodies bodies;
    while (scan_.accept("{")) {
      bodies.push_back(std::make_shared<const Graph>(body(depth + 1)));
      scan_.expect("}");
    }
    Exprs results = build.add_all(op, operands, Attrs(std::move(attrs)), std::move(bodies));
    require_types(results, types);
    return results;
  }

  void scope(Builder& build) { build.set_scope(scan_.accept("@") ? scan_.quoted() : ""); }

  void require_types(const Exprs& results, const Types& types) {
    bool same = results.size() == types.size();
    for (size_t i = 0; same && i < types.size(); ++i) same = results[i].type() == types[i];
    if (!same) scan_.fail("the types differ from those of the op's rule");
  }

  Attr attr(const OpDef& op, size_t number) {
    std::string_view name = scan_.word();
    std::span<const AttrSpec> specs = attr_specs(op);
    if (number >= specs.size() || specs[number].name != name)
      scan_.fail(fmt::format("unexpected attribute '{}' of {}", name, op.name));
    scan_.expect("=");
    return {specs[number].name, attr_value(specs[number].kind)};
  }

  AttrValue attr_value(AttrKind kind) {
    switch (kind) {
      case AttrKind::boolean:
        return boolean();
      case AttrKind::integer:
        return scan_.number<int64_t>();
      case AttrKind::number:
        return scan_.number<double>();
      case AttrKind::text:
        return scan_.quoted();
      case AttrKind::integers:
        return integers();
      case AttrKind::tensor:
        return std::make_shared<const Tensor>(numbers());
    }
    scan_.fail("unknown kind of attribute");
  }

  bool boolean() {
    if (scan_.accept("true")) return true;
    scan_.expect("false");
    return false;
  }

  Integers integers() {
    Integers values;
    scan_.expect("[");
    scan_.list("]", [&] { values.push_back(scan_.number<int64_t>()); });
    return values;
  }

  // The numbers of a constant stay text until its type, which stands behind them, is known.
  Tensor numbers() {
    constant_numbers_.clear();
    auto item = [&] { constant_numbers_.push_back(scan_.number_token()); };
    if (scan_.accept("["))
      scan_.list("]", item);
    else
      item();
    return Tensor();
  }

  void complete_constant(std::vector<Attr>& attrs, const Types& types) {
    for (Attr& attr : attrs)
      if (std::holds_alternative<std::shared_ptr<const Tensor>>(attr.value))
        attr.value = std::make_shared<const Tensor>(constant_of(types));
  }

  Tensor constant_of(const Types& types) {
    int64_t count = static_cast<int64_t>(constant_numbers_.size());
    if (types.size() != 1 || types[0].shape.elements() != count)
      scan_.fail("a constant needs one number for each element");
    Tensor tensor(types[0].dtype, types[0].shape);
    visit(tensor.dtype(), [&]<class T>() {
      for (size_t i = 0; i < constant_numbers_.size(); ++i)
        tensor.values<T>()[i] = parsed<T>(constant_numbers_[i]);
    });
    return tensor;
  }

  template <class T>
  T parsed(std::string_view token) {
    using Read = std::conditional_t<std::is_same_v<T, BFloat16>, float,
                                    std::conditional_t<std::is_same_v<T, bool>, int, T>>;
    Read value{};
    auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (failure != std::errc() || end != token.data() + token.size())
      scan_.fail(fmt::format("'{}' is not a number of the constant's type", token));
    return static_cast<T>(value);
  }

  void output(Builder& build, const Names& names) {
    std::string name = scan_.quoted();
    Role output_role = role();
    build.output(std::move(name), value(names), output_role);
  }

  Expr value(const Names& names) {
    scan_.expect("%");
    int64_t number = scan_.number<int64_t>();
    size_t index = scan_.accept(".") ? scan_.number<size_t>() : 0;
    auto found = names.find(number);
    if (found == names.end() || index >= found->second.size())
      scan_.fail(fmt::format("%{}.{} is not defined before its use", number, index));
    return found->second[index];
  }

  Role role() {
    std::string_view word = scan_.word();
    for (Role known : {Role::state, Role::batch, Role::parameter, Role::result})
      if (name_of(known) == word) return known;
    scan_.fail(fmt::format("unknown role '{}'", word));
  }

  Type type() {
    std::string_view name = scan_.word();
    std::vector<int64_t> extents;
    scan_.expect("[");
    scan_.list("]", [&] { extents.push_back(scan_.number<int64_t>()); });
    return {dtype_from_name(name), Shape(std::move(extents))};
  }

  Scanner scan_;
  std::vector<std::string_view> constant_numbers_;
  std::map<std::string_view, const OpDef*> ops_;
};

}  // namespace

Graph parse_graph(std::string_view text, std::span<const OpDef* const> ops) {
  return Parser(text, ops).whole();
}

}  // namespace hornbeam
