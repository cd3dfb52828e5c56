#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/text.h"

namespace hornbeam {
namespace {

std::string text_of(Value value) {
  return value.index == 0 ? fmt::format("%{}", value.node)
                          : fmt::format("%{}.{}", value.node, value.index);
}

// The shortest decimal that reads back as the same double; always with a mark of being a number.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  bool marked = text.find_first_of(".einf") != std::string::npos;
  return marked ? text : text + ".0";
}

std::string tensor_text(const Tensor& tensor) {
  std::string text;
  visit(tensor.dtype(), [&]<class T>() {
    for (T value : tensor.values<T>()) {
      if (!text.empty()) text += ",";
      if constexpr (std::is_same_v<T, BFloat16>)
        text += fmt::format("{}", static_cast<float>(value));
      else if constexpr (std::is_same_v<T, bool>)
        text += value ? "1" : "0";
      else
        text += fmt::format("{}", value);
    }
  });
  return tensor.shape().rank() == 0 ? text : "[" + text + "]";
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
  std::string operator()(const Integers& value) const {
    return fmt::format("[{}]", fmt::join(value, ","));
  }
  std::string operator()(const std::shared_ptr<const Tensor>& value) const {
    return tensor_text(*value);
  }
};

std::string attrs_text(const Attrs& attrs) {
  std::string text;
  for (const Attr& attr : attrs)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", attr.name,
                        std::visit(ValueText{}, attr.value));
  return text.empty() ? "" : " {" + text + "}";
}

std::string types_text(const Types& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

std::string operands_text(const Values& operands) {
  std::string text;
  for (Value operand : operands) text += (text.empty() ? "" : ", ") + text_of(operand);
  return "(" + text + ")";
}

std::string scope_text(const Node& node, Scopes scopes) {
  bool shown = scopes == Scopes::shown && !node.scope.empty();
  return shown ? fmt::format(" @ \"{}\"", node.scope) : "";
}

std::string print_indented(const Graph& graph, Scopes scopes, const std::string& indent);

std::string node_text(const Graph& graph, const Node& node, Scopes scopes,
                      const std::string& indent) {
  if (node.op == &input_op) {
    const Port& port = graph.inputs()[static_cast<size_t>(node.attrs.integer("number"))];
    return fmt::format("input \"{}\" {} : {}{}", port.name, name_of(port.role),
                       types_text(node.results), scope_text(node, scopes));
  }
  std::string operands = node.op == &constant_op ? "" : operands_text(node.operands);
  std::string text = fmt::format("{}{}{} : {}{}", node.op->name, operands, attrs_text(node.attrs),
                                 types_text(node.results), scope_text(node, scopes));
  for (const auto& body : node.bodies)
    text += " {\n" + print_indented(*body, scopes, indent + "  ") + indent + "}";
  return text;
}

std::string print_indented(const Graph& graph, Scopes scopes, const std::string& indent) {
  std::string text;
  for (size_t i = 0; i < graph.nodes().size(); ++i)
    text +=
        fmt::format("{}%{} = {}\n", indent, i, node_text(graph, graph.nodes()[i], scopes, indent));
  for (const Port& port : graph.outputs())
    text += fmt::format("{}output \"{}\" {} {}\n", indent, port.name, name_of(port.role),
                        text_of(port.value));
  return text;
}

}  // namespace

std::string print(const Graph& graph, Scopes scopes) { return print_indented(graph, scopes, ""); }

}  // namespace hornbeam
