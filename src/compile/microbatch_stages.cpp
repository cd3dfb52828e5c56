#include "compile/microbatch_stages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace hornbeam {

MicrobatchStages::MicrobatchStages(const Graph& graph)
    : graph_(graph), samples_(samples_of(graph)) {
  for (uint32_t number = 0; number < graph.nodes().size(); ++number) add(number);
  for (const Port& port : graph.outputs())
    if (is_cut(port.value.node)) needed_whole_.insert(port.value);
  brought_forth_.resize(static_cast<size_t>(count_));
  for (uint32_t number = 0; number < graph.nodes().size(); ++number)
    if (is_meeting(number))
      for (Value operand : graph.nodes()[number].operands)
        if (is_cut(operand.node))
          brought_forth_[static_cast<size_t>(stages_[number])].push_back(operand);
  for (Value value : needed_whole_)
    brought_forth_[static_cast<size_t>(stages_[value.node])].push_back(value);
}

void MicrobatchStages::add(uint32_t number) {
  const Node& node = graph_.nodes()[number];
  BatchAxes operands;
  int stage = 0;
  for (Value operand : node.operands) {
    operands.push_back(is_cut(operand.node) ? axes_[operand.node][operand.index] : std::nullopt);
    stage = std::max(stage, stages_[operand.node] + is_meeting(operand.node));
  }
  bool cut = std::ranges::any_of(operands, [](const auto& axis) { return axis.has_value(); });
  BatchFlow flow;
  if (cut) flow = batch_flow(graph_, node, operands, samples_);
  if (node.op == &input_op &&
      is_batch(graph_, graph_.inputs()[static_cast<size_t>(node.attrs.integer("number"))]))
    flow = {BatchFlow::Kind::each, {}, {BatchAxis{}}};
  axes_.push_back(flow.results);
  meets_.push_back(cut && flow.kind != BatchFlow::Kind::each);
  stages_.push_back(stage);
  if (meets_.back() || is_cut(number)) count_ = std::max(count_, stage + 1);
  if (meets_.back() && flow.kind == BatchFlow::Kind::whole)
    for (Value operand : node.operands)
      if (is_cut(operand.node)) needed_whole_.insert(operand);
  flows_.push_back(std::move(flow));
}

MicrobatchStages::PartNode MicrobatchStages::part(uint32_t number, int64_t samples) const {
  const Node& whole = graph_.nodes()[number];
  const BatchFlow& flow = flows_[number];
  auto part_type = [&](Type type, const std::optional<BatchAxis>& axis) {
    if (axis) type.shape[axis->axis] = axis->rows * samples;
    return type;
  };
  PartNode part{.node = whole};
  part.node.operands.clear();
  for (size_t i = 0; i < whole.operands.size(); ++i)
    part.operands.push_back(part_type(graph_.type(whole.operands[i]),
                                      flow.operands.empty() ? std::nullopt : flow.operands[i]));
  if (!is_cut(number)) return part;
  part.node.attrs = attrs_for(whole, axis({number, 0}), samples);
  for (size_t i = 0; i < whole.results.size(); ++i)
    part.node.results[i] = part_type(whole.results[i], flow.results[i]);
  return part;
}

std::vector<MicrobatchStages::Work> MicrobatchStages::work(const std::set<Value>& kept) const {
  std::vector<Work> all(static_cast<size_t>(count_));
  std::vector<int> seen(graph_.nodes().size(), -1);
  std::set<Value> stored;
  for (int stage = 0; stage < count_; ++stage)
    trace(stage, kept, stored, seen, all[static_cast<size_t>(stage)]);
  return all;
}

// From what a stage has to bring forth back to what is there.
void MicrobatchStages::trace(int stage, const std::set<Value>& kept, std::set<Value>& stored,
                             std::vector<int>& seen, Work& work) const {
  std::vector<Value> waiting = brought_forth_[static_cast<size_t>(stage)];
  std::set<Value> loaded;
  while (!waiting.empty()) {
    Value value = waiting.back();
    waiting.pop_back();
    if (!is_cut(value.node)) continue;
    if (stored.contains(value)) {
      loaded.insert(value);
      continue;
    }
    if (std::exchange(seen[value.node], stage) == stage) continue;
    work.nodes.push_back(value.node);
    for (Value operand : graph_.nodes()[value.node].operands) waiting.push_back(operand);
  }
  std::ranges::sort(work.nodes);
  work.loaded.assign(loaded.begin(), loaded.end());
  for (uint32_t number : work.nodes) {
    if (graph_.nodes()[number].op == &input_op) continue;
    for (uint32_t index = 0; index < graph_.nodes()[number].results.size(); ++index)
      if (kept.contains({number, index}) || needed_whole_.contains({number, index}))
        work.stored.push_back({number, index});
  }
  stored.insert(work.stored.begin(), work.stored.end());
}

namespace {

// Tries which values to keep.
class KeepSearch {
 public:
  KeepSearch(const MicrobatchStages& stages, const KeepRules& rules)
      : stages_(stages), rules_(rules) {
    for (uint32_t number = 0; number < graph().nodes().size(); ++number) {
      bool computed = graph().nodes()[number].op != &input_op && stages.is_cut(number);
      seconds_.push_back(computed || stages.is_meeting(number) ? rules.seconds(number) : 0);
      once_ += seconds_.back();
      if (stages.is_meeting(number)) meetings_ += seconds_.back();
    }
  }

  Kept choose() {
    keep_all_that_is_used();
    drop_what_costs_more_than_it_saves();
    const std::vector<Value> candidates = worth_keeping();
    drop_until_it_fits();
    if (fits(now_)) improve(candidates);
    return result();
  }

 private:
  struct Trial {
    double seconds = 0;
    std::vector<int64_t> bytes;                  // kept, by stage
    std::map<Value, std::pair<int, int>> alive;  // the stages from which and to which
  };

  const Graph& graph() const { return stages_.graph(); }
  int64_t bytes_of(Value value) const { return graph().type(value).bytes(); }

  void keep_all_that_is_used() {
    std::set<Value> all;
    for (uint32_t number = 0; number < graph().nodes().size(); ++number)
      for (uint32_t index = 0; index < graph().nodes()[number].results.size(); ++index)
        if (may_be_kept({number, index})) all.insert({number, index});
    for (const auto& work : stages_.work(all)) kept_.insert(work.loaded.begin(), work.loaded.end());
    now_ = trial(kept_);
  }

  bool may_be_kept(Value value) const {
    return stages_.is_cut(value.node) && graph().node(value).op != &input_op &&
           stages_.axis(value).axis == 0;
  }

  Trial trial(const std::set<Value>& kept) const {
    Trial made{.seconds = meetings_};
    std::vector<MicrobatchStages::Work> works = stages_.work(kept);
    for (int stage = 0; stage < static_cast<int>(works.size()); ++stage) {
      const auto& work = works[static_cast<size_t>(stage)];
      for (uint32_t node : work.nodes) made.seconds += seconds_[node];
      for (Value value : work.loaded) made.alive[value].second = stage;
      for (Value value : work.stored) made.alive[value] = {stage, stage};
    }
    made.bytes.assign(works.size(), 0);
    for (const auto& [value, stage] : made.alive) {
      made.seconds += rules_.seconds_per_byte * static_cast<double>(bytes_of(value));
      for (int at = stage.first; at <= stage.second; ++at)
        made.bytes[static_cast<size_t>(at)] += bytes_of(value);
    }
    return made;
  }

  Trial without(Value value) const {
    std::set<Value> others = kept_;
    others.erase(value);
    return trial(others);
  }

  void drop(Value value, Trial after) {
    kept_.erase(value);
    now_ = std::move(after);
  }

  void drop_what_costs_more_than_it_saves() {
    const std::set<Value> all = kept_;
    for (Value value : all)
      if (Trial after = without(value); after.seconds <= now_.seconds)
        drop(value, std::move(after));
  }

  int fullest_stage() const {
    return static_cast<int>(std::ranges::max_element(now_.bytes) - now_.bytes.begin());
  }

  void drop_until_it_fits() {
    std::map<Value, double> lost;  // seconds a byte, never less than this
    for (Value value : kept_) lost[value] = 0;
    while (most_bytes(now_) > rules_.most_bytes)
      if (!drop_the_cheapest(lost)) return;
  }

  // What dropping a value costs only grows as others go, so that of the cheapest alone is looked at
  // again.
  bool drop_the_cheapest(std::map<Value, double>& lost) {
    const int fullest = fullest_stage();
    while (true) {
      auto cheapest = lost.end();
      for (auto it = lost.begin(); it != lost.end(); ++it)
        if (is_alive(it->first, fullest) &&
            (cheapest == lost.end() || it->second < cheapest->second))
          cheapest = it;
      if (cheapest == lost.end()) return false;
      Trial after = without(cheapest->first);
      double loss = (after.seconds - now_.seconds) / static_cast<double>(bytes_of(cheapest->first));
      if (loss > cheapest->second * 1.001 + 1e-30) {
        cheapest->second = loss;
        continue;
      }
      drop(cheapest->first, std::move(after));
      lost.erase(cheapest);
      return true;
    }
  }

  int64_t most_bytes(const Trial& trial) const { return *std::ranges::max_element(trial.bytes); }

  bool fits(const Trial& trial) const { return most_bytes(trial) <= rules_.most_bytes; }

  // What was used when everything was kept, and what that can be made from at little cost: results
  // of costly nodes, and of those that make less of what they read.
  std::vector<Value> worth_keeping() const {
    std::vector<Value> candidates;
    for (uint32_t number = 0; number < graph().nodes().size(); ++number)
      for (uint32_t index = 0; index < graph().nodes()[number].results.size(); ++index) {
        const Value value{number, index};
        if (kept_.contains(value) || (may_be_kept(value) && (is_costly(number) || narrows(value))))
          candidates.push_back(value);
      }
    return candidates;
  }

  bool is_costly(uint32_t number) const { return seconds_[number] > 0.005 * once_; }

  bool narrows(Value value) const {
    return std::ranges::any_of(graph().node(value).operands, [&](Value operand) {
      return stages_.is_cut(operand.node) && bytes_of(operand) >= 2 * bytes_of(value);
    });
  }

  // The values dropped last, which may be large, can have made room for others, and one that is
  // kept can be in the way of several.
  void improve(const std::vector<Value>& candidates) {
    take_more(candidates);
    for (bool better = true; better;) {
      better = false;
      for (Value value : std::vector(kept_.begin(), kept_.end()))
        better |= exchange(value, candidates);
    }
  }

  void take_more(const std::vector<Value>& candidates) {
    while (take_the_best(candidates)) continue;
  }

  bool take_the_best(const std::vector<Value>& candidates) {
    std::optional<Value> best;
    Trial best_trial = now_;
    for (Value value : candidates) {
      if (kept_.contains(value)) continue;
      std::set<Value> more = kept_;
      more.insert(value);
      Trial after = trial(more);
      if (!fits(after) || after.seconds >= best_trial.seconds) continue;
      best = value;
      best_trial = std::move(after);
    }
    if (!best) return false;
    kept_.insert(*best);
    now_ = std::move(best_trial);
    return true;
  }

  // Keeps others instead of a value when that is faster.
  bool exchange(Value value, const std::vector<Value>& candidates) {
    const std::set<Value> kept = kept_;
    const Trial before = now_;
    drop(value, without(value));
    take_more(candidates);
    if (now_.seconds < before.seconds) return true;
    kept_ = kept;
    now_ = before;
    return false;
  }

  bool is_alive(Value value, int stage) const {
    auto found = now_.alive.find(value);
    return found != now_.alive.end() && kept_.contains(value) && found->second.first <= stage &&
           stage <= found->second.second;
  }

  Kept result() const {
    Kept kept{.values = kept_, .most_bytes = most_bytes(now_)};
    if (once_ > 0) kept.slowdown = std::max(1.0, now_.seconds / once_);
    std::vector<int> times(graph().nodes().size());
    for (const auto& work : stages_.work(kept_))
      for (uint32_t node : work.nodes) ++times[node];
    for (uint32_t number = 0; number < times.size(); ++number) {
      const Node& node = graph().nodes()[number];
      bool costly = node.op->op_class == OpClass::other && node.op != &input_op;
      if (costly && times[number] > 1) kept.repeated.push_back(node.scope);
    }
    auto [end, last] = std::ranges::unique(kept.repeated);
    kept.repeated.erase(end, last);
    return kept;
  }

  const MicrobatchStages& stages_;
  const KeepRules& rules_;
  std::vector<double> seconds_;  // by node
  double once_ = 0;              // all nodes, each once
  double meetings_ = 0;          // those in which samples meet, whatever is kept
  std::set<Value> kept_;
  Trial now_;  // with kept_
};

}  // namespace

Kept choose_kept(const MicrobatchStages& stages, const KeepRules& rules) {
  return KeepSearch(stages, rules).choose();
}

}  // namespace hornbeam
