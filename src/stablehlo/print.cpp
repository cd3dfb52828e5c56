#include "stablehlo/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "stablehlo/text.h"
#include "stablehlo/writer.h"

namespace hornbeam {
namespace {

// Which output takes over the memory of an input: the state of its name.
std::string donation(const Graph& graph, const Port& input) {
  const auto& outputs = graph.outputs();
  auto found = std::ranges::find_if(outputs, [&](const Port& output) {
    return output.role == Role::state && output.name == input.name;
  });
  if (input.role != Role::state || found == outputs.end()) return "";
  return fmt::format(" {{tf.aliasing_output = {} : i32}}", found - outputs.begin());
}

std::string argument_lines(const Graph& graph, NamedList& arguments) {
  std::string text;
  for (const Port& input : graph.inputs()) {
    const bool last = &input == &graph.inputs().back();
    arguments.push_back({fmt::format("%arg{}", arguments.size()), graph.type(input.value)});
    text += fmt::format("{}: {}{}{}  // {} {}\n", arguments.back().name,
                        stablehlo_type(arguments.back().type), donation(graph, input),
                        last ? "" : ",", name_of(input.role), printable(input.name));
  }
  return text;
}

}  // namespace

std::string print_stablehlo(const Graph& graph, const StablehloOptions& options) {
  Writer writer(options);
  NamedList arguments;
  std::string argument_text = argument_lines(graph, arguments);
  std::vector<std::string> names;
  Types types;
  for (const Named& output : writer.body(graph, arguments)) {
    names.push_back(output.name);
    types.push_back(output.type);
  }
  std::string results = stablehlo_types(types);
  return fmt::format(
      "module @step attributes {{mhlo.num_replicas = {} : i32, mhlo.num_partitions = 1 : i32}} {{\n"
      "func.func public @main(\n{}) -> {} {{\n{}\"func.return\"({}) : {} -> ()\n}}\n}}\n",
      options.devices, argument_text, results, writer.text(), fmt::join(names, ", "), results);
}

}  // namespace hornbeam
