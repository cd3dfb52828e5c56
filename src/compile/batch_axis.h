// How the samples of a batch run through a graph: along which axis of each value they lie, and
// where a node brings them together. One rule an op.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace hornbeam {

// Sample i has the entries i * rows … (i + 1) * rows - 1 of that axis.
struct BatchAxis {
  int64_t axis = 0;
  int64_t rows = 1;

  bool operator==(const BatchAxis&) const = default;
};
using BatchAxes = std::vector<std::optional<BatchAxis>>;

struct BatchFlow {
  enum class Kind {
    each,        // every sample goes its own way
    summed,      // the result is a sum over samples
    statistics,  // mean and variance over the samples: batch_norm_statistics
    whole,       // only all samples together have a meaning
  };
  Kind kind = Kind::whole;
  BatchAxes operands;  // where each operand is cut; those without are needed whole by every part
  BatchAxes results;   // of kind each
};

bool is_batch(const Graph& graph, const Port& input);  // of role batch, with an axis to cut
int64_t samples_of(const Graph& graph);                // of its batch inputs; 0 without any

// The flow through a node whose operands have their samples along `operands`, some of which do.
BatchFlow batch_flow(const Graph& graph, const Node& node, const BatchAxes& operands,
                     int64_t samples);

// The attributes of a node of kind each, or one that counts or draws numbers, for a part of
// `samples` samples along that axis of its first result.
Attrs attrs_for(const Node& node, BatchAxis axis, int64_t samples);

}  // namespace hornbeam
