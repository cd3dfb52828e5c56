#include "compile/recompute.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compile/memory_plan.h"
#include "ir/builder.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Time = int64_t;  // the number of a node

// A value, or one of its lives: from the node that makes it to the last that reads it.
struct Life {
  Value value;
  Time begin = 0;
  std::vector<Time> uses;  // ascending
  int64_t bytes = 0;
  bool fixed = false;  // an input, a constant, an output, or seen through views

  Time end() const { return uses.empty() ? begin : uses.back(); }
  bool spans(Time time) const { return begin < time && time < end(); }
};

struct Again {
  Value value;
  Time before;  // this node
};

class Choice {
 public:
  Choice(const Graph& graph, const RecomputeRules& rules) : graph_(graph), rules_(rules) {
    for (Time time = 0; time < static_cast<Time>(graph.nodes().size()); ++time) add_node(time);
    for (const Port& output : graph.outputs()) {
      Life& life = lives_[of_value_.at(output.value)];
      life.fixed = true;
      life.uses.push_back(static_cast<Time>(graph.nodes().size()));
    }
  }

  std::vector<Again> make() {
    while (shorten_one_life()) continue;
    return again_;
  }

 private:
  const Node& node(Time time) const { return graph_.nodes()[static_cast<size_t>(time)]; }

  void add_node(Time time) {
    const Node& added = node(time);
    for (Value operand : added.operands) insert_use(operand, time);
    bool view = view_offset(graph_, added).has_value();
    bool given = added.op == &input_op || added.op == &constant_op;
    for (uint32_t index = 0; index < added.results.size(); ++index) {
      Value value{static_cast<uint32_t>(time), index};
      if (view) {  // lives in the memory of its operand
        of_value_[value] = of_value_.at(added.operands[0]);
        lives_[of_value_[value]].fixed = true;
        continue;
      }
      of_value_[value] = lives_.size();
      lives_.push_back({value, time, {}, given ? 0 : added.results[index].bytes(), given});
    }
  }

  Time fullest_moment() const {
    std::vector<int64_t> change(graph_.nodes().size() + 2);
    for (const Life& life : lives_) {
      change[static_cast<size_t>(life.begin)] += life.bytes;
      change[static_cast<size_t>(life.end()) + 1] -= life.bytes;
    }
    int64_t live = 0, most = -1;
    Time fullest = 0;
    for (size_t time = 0; time < change.size(); ++time) {
      live += change[time];
      if (live > most) most = live, fullest = static_cast<Time>(time);
    }
    return fullest;
  }

  bool shorten_one_life() {
    Time fullest = fullest_moment();
    std::optional<size_t> best;
    for (size_t i = 0; i < lives_.size(); ++i)
      if (can_be_shortened(lives_[i], fullest) && (!best || lives_[i].bytes > lives_[*best].bytes))
        best = i;
    if (best) shorten(*best, fullest);
    return best.has_value();
  }

  static std::vector<Time>::const_iterator next_use(const Life& life, Time time) {
    return std::upper_bound(life.uses.begin(), life.uses.end(), time);
  }

  bool can_be_shortened(const Life& life, Time moment) const {
    if (life.fixed || life.bytes == 0 || !life.spans(moment)) return false;
    if (std::binary_search(life.uses.begin(), life.uses.end(), moment)) return false;
    const Node& maker = graph_.node(life.value);
    if (maker.results.size() != 1 || !rules_.is_cheap(maker)) return false;
    Time late = *next_use(life, moment);
    return std::all_of(maker.operands.begin(), maker.operands.end(), [&](Value operand) {
      const Life& read = lives_[of_value_.at(operand)];
      bool small = 16 * read.bytes <= life.bytes;
      return read.end() >= late || (small && !read.fixed) || read.bytes == 0;
    });
  }

  // The first life ends with its last use before the moment; another begins at the next use.
  void shorten(size_t number, Time moment) {
    Life late = lives_[number];
    auto first_late = next_use(late, moment);
    Time begin = *first_late;
    std::vector<Time> uses(first_late, late.uses.cend());
    lives_[number].uses.resize(lives_[number].uses.size() - uses.size());
    for (Value operand : graph_.node(late.value).operands) insert_use(operand, begin);
    again_.push_back({late.value, begin});
    lives_.push_back({late.value, begin, std::move(uses), late.bytes, false});
  }

  void insert_use(Value value, Time time) {
    std::vector<Time>& uses = lives_[of_value_.at(value)].uses;
    auto place = std::lower_bound(uses.begin(), uses.end(), time);
    if (place == uses.end() || *place != time) uses.insert(place, time);
  }

  const Graph& graph_;
  const RecomputeRules& rules_;
  std::vector<Life> lives_;
  std::map<Value, size_t> of_value_;  // the first life of a value, or of what it is a view of
  std::vector<Again> again_;
};

// Before node `before` stands the node of `value` again, on operands behind barriers.
class Copies {
 public:
  Copies(const Graph& graph, std::vector<Again> again) : graph_(graph), again_(std::move(again)) {
    std::ranges::stable_sort(again_, {}, &Again::before);
  }

  Graph make() {
    return rewrite_graph(graph_,
                         [&](Builder& build, const Node& node, std::span<const Expr> operands) {
                           make_again_before(build, &node - graph_.nodes().data());
                           return build.add_like(node, newest(node, operands));
                         });
  }

 private:
  void make_again_before(Builder& build, Time time) {
    for (; next_ < again_.size() && again_[next_].before == time; ++next_) {
      const Node& node = graph_.node(again_[next_].value);
      Exprs operands;
      for (Value operand : node.operands)
        operands.push_back(optimization_barrier(first_.at(operand)));
      again_made_[again_[next_].value] = build.add_like(node, operands)[0];
    }
  }

  Exprs newest(const Node& node, std::span<const Expr> operands) {
    Exprs newest(operands.begin(), operands.end());
    for (size_t i = 0; i < operands.size(); ++i) {
      first_.try_emplace(node.operands[i], operands[i]);
      auto made = again_made_.find(node.operands[i]);
      if (made != again_made_.end()) newest[i] = made->second;
    }
    return newest;
  }

  const Graph& graph_;
  std::vector<Again> again_;
  size_t next_ = 0;
  std::map<Value, Expr> first_, again_made_;
};

}  // namespace

Graph recompute(const Graph& graph, const RecomputeRules& rules) {
  return Copies(graph, Choice(graph, rules).make()).make();
}

}  // namespace hornbeam
