// A graph taken apart for microbatches: what each of them computes on its own, and in which stage.
//
// A stage ends where samples meet: statistics, sums over the batch, and what has a meaning only for
// all samples together are known when the stage has run for every microbatch. What depends on them
// belongs to the next stage. A value that a later stage needs is kept for the whole batch or
// computed again there.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compile/batch_axis.h"

namespace hornbeam {

class MicrobatchStages {
 public:
  // Inputs of role batch have the samples along axis 0, as many each.
  explicit MicrobatchStages(const Graph& graph);

  const Graph& graph() const { return graph_; }
  int64_t samples() const { return samples_; }  // 0 when no input is a batch
  int count() const { return count_; }

  // Whether a node is computed by microbatches; each of its results has a batch axis then.
  bool is_cut(uint32_t node) const { return !axes_[node].empty(); }
  BatchAxis axis(Value value) const { return *axes_[value.node][value.index]; }
  // Whether samples meet in a node.
  bool is_meeting(uint32_t node) const { return meets_[node]; }
  const BatchFlow& flow(uint32_t node) const { return flows_[node]; }
  // Of a cut node: the first stage in which it can be computed; of a meeting: the one it ends; of
  // all else: the one before which it can be computed.
  int stage(uint32_t node) const { return stages_[node]; }

  // A node that is cut or in which samples meet, as a part of so many samples has it.
  struct PartNode {
    Node node;  // without operands
    Types operands;
  };
  PartNode part(uint32_t node, int64_t samples) const;

  // What a stage does when the values of `kept` are kept once they have been computed.
  struct Work {
    std::vector<uint32_t> nodes;  // cut ones, in order
    std::vector<Value> loaded;    // kept by an earlier stage
    std::vector<Value> stored;    // to be kept from this stage on
  };
  std::vector<Work> work(const std::set<Value>& kept) const;

 private:
  void add(uint32_t number);
  void trace(int stage, const std::set<Value>& kept, std::set<Value>& stored,
             std::vector<int>& seen, Work& work) const;

  const Graph& graph_;
  int64_t samples_;
  int count_ = 1;
  std::vector<BatchAxes> axes_;  // by node and result; empty for nodes that are not cut
  std::vector<BatchFlow> flows_;
  std::vector<char> meets_;
  std::vector<int> stages_;
  // Cut values that are needed for the whole batch at the end of a stage, wherever they are used.
  std::set<Value> needed_whole_;
  std::vector<std::vector<Value>> brought_forth_;  // by stage: what meets at its end, or is whole
};

// Which values to keep for how much memory.
struct KeepRules {
  std::function<double(uint32_t node)> seconds;  // that a node takes, for the whole batch
  double seconds_per_byte = 0;                   // to write and read what is kept
  int64_t most_bytes = 0;                        // that may be kept at one time
};

struct Kept {
  std::set<Value> values;
  int64_t most_bytes = 0;             // kept at one time
  double slowdown = 1;                // predicted time of a step, that of the uncut batch being 1
  std::vector<std::string> repeated;  // layers whose products or convolutions run again
};

// The fastest choice found: values are dropped as long as that saves time, then, until the rest
// fits, in the order of time lost a byte. It may not fit even so.
Kept choose_kept(const MicrobatchStages& stages, const KeepRules& rules);

}  // namespace hornbeam
