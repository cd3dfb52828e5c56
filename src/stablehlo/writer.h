// Writer: the lines of a StableHLO function while they are made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "stablehlo/print.h"

namespace hornbeam {

// A value of the text.
struct Named {
  std::string name;
  Type type;
};
using NamedList = std::vector<Named>;

// What follows the operands of an operation.
struct Tail {
  std::vector<std::string> attributes = {};  // "name = value"
  std::vector<std::string> regions = {};     // from a brace to a brace
};

class Writer {
 public:
  explicit Writer(const StablehloOptions& options) : options_(options) {}
  const StablehloOptions& options() const { return options_; }

  // Adds a line and names its results.
  NamedList emit(std::string_view op, std::span<const Named> operands, const Types& results,
                 const Tail& tail = {});
  Named emit_one(std::string_view op, std::span<const Named> operands, const Type& result,
                 const Tail& tail = {}) {
    return emit(op, operands, {result}, tail)[0];
  }
  Named constant(const Tensor& tensor);
  Named replica_id();  // as si64; StableHLO's own is a ui32, which no tensor of ours has

  // Adds the nodes of a graph, with these values as its inputs; gives its outputs.
  NamedList body(const Graph& graph, std::span<const Named> inputs);
  // A graph as the region of an operation.
  std::string region(const Graph& graph);

  const std::string& text() const { return text_; }

 private:
  std::string fresh_name() { return "%" + std::to_string(next_name_++); }

  const StablehloOptions& options_;
  std::string text_;
  int next_name_ = 0;
};

// A region that combines two scalars of this type by an op; compare asks whether the left one is
// at least as large.
std::string combining_region(std::string_view op, const Type& scalar);

// How an op is written: from its operands to its results.
using WriteOp = NamedList (*)(Writer& writer, const Node& node, std::span<const Named> operands);
// Nothing for an op that the text has no form for.
WriteOp write_of(const OpDef& op);

}  // namespace hornbeam
