#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hornbeam {
namespace {

std::string text_of(std::span<const Type> types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

// `message` makes the text, which is seldom needed.
template <class Message>
void require(bool condition, const Message& message) {
  if (!condition) throw Error("H702", {.message = message()});
}

void verify_attrs(const Node& node) {
  std::span<const AttrSpec> specs = attr_specs(*node.op);
  require(specs.size() == node.attrs.size(), [&] {
    return fmt::format("{} takes {} attributes, not {}", node.op->name, specs.size(),
                       node.attrs.size());
  });
  for (size_t i = 0; i < specs.size(); ++i) {
    const Attr& attr = *(node.attrs.begin() + static_cast<ptrdiff_t>(i));
    require(attr.name == specs[i].name, [&] {
      return fmt::format("attribute {} of {} is '{}', not '{}'", i, node.op->name, specs[i].name,
                         attr.name);
    });
    require(attr.value.index() == static_cast<size_t>(specs[i].kind), [&] {
      return fmt::format("attribute '{}' of {} must be of kind {}", attr.name, node.op->name,
                         name_of(specs[i].kind));
    });
  }
}

void verify_ports(const std::vector<Port>& ports, const Graph& graph, std::string_view kind) {
  std::set<std::string_view> names;
  for (const Port& port : ports) {
    require(port.value.node < graph.nodes().size() &&
                port.value.index < graph.node(port.value).results.size(),
            [&] { return fmt::format("{} '{}' has no value", kind, port.name); });
    require(names.insert(port.name).second,
            [&] { return fmt::format("two {}s are named '{}'", kind, port.name); });
  }
}

void verify_state(const Graph& graph) {
  for (const Port& output : graph.outputs()) {
    if (output.role != Role::state) continue;
    auto matches = [&](const Port& input) {
      return input.role == Role::state && input.name == output.name &&
             graph.type(input.value) == graph.type(output.value);
    };
    require(std::any_of(graph.inputs().begin(), graph.inputs().end(), matches), [&] {
      return fmt::format("state output '{}' has no state input of its name and type", output.name);
    });
  }
}

Types operand_types(const Graph& graph, const Node& node, size_t number) {
  Types types;
  for (Value operand : node.operands) {
    require(operand.node < number && operand.index < graph.node(operand).results.size(), [&] {
      return fmt::format("an operand of node {} ({}) is not before it", number, node.op->name);
    });
    types.push_back(graph.type(operand));
  }
  return types;
}

}  // namespace

Types inferred_types(const Node& node, std::span<const Type> operands) {
  verify_attrs(node);
  require(static_cast<size_t>(node.op->bodies) == node.bodies.size(), [&] {
    return fmt::format("{} contains {} graphs, not {}", node.op->name, node.op->bodies,
                       node.bodies.size());
  });
  try {
    return node.op->infer({operands, node.attrs, node.bodies});
  } catch (const Error& error) {
    throw error.at(fmt::format("{}({}){}", node.op->name, text_of(operands),
                               node.scope.empty() ? "" : " in " + node.scope));
  }
}

namespace {

// `verified`: graphs inside of nodes that have been.
void verify(const Graph& graph, std::set<const Graph*>& verified) {
  for (size_t number = 0; number < graph.nodes().size(); ++number) {
    const Node& node = graph.nodes()[number];
    if (node.op == &input_op) continue;
    Types operands = operand_types(graph, node, number);
    require(inferred_types(node, operands) == node.results, [&] {
      return fmt::format("node {} ({}) has other types than its rule gives", number, node.op->name);
    });
    for (const auto& body : node.bodies)
      if (verified.insert(body.get()).second) verify(*body, verified);
  }
  verify_ports(graph.inputs(), graph, "input");
  verify_ports(graph.outputs(), graph, "output");
  verify_state(graph);
}

}  // namespace

void verify(const Graph& graph) {
  std::set<const Graph*> verified;
  verify(graph, verified);
}

}  // namespace hornbeam
