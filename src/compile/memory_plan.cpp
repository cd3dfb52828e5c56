#include "compile/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compile/arena.h"
#include "compile/memory_summary.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// A storage that lives on in another's memory.
struct Owner {
  size_t storage = 0;
  int64_t since = 0;
};

struct Location {
  size_t storage = 0;
  int64_t offset = 0;

  bool operator==(const Location&) const = default;
};

class Planner {
 public:
  Planner(const Graph& graph, std::span<const NodeMemory> memory)
      : graph_(graph),
        memory_(memory),
        end_(static_cast<int64_t>(graph.nodes().size())),
        locations_(graph.nodes().size()),
        workspaces_(graph.nodes().size()) {
    check(memory.size() == graph.nodes().size(), "the needs of every node are known");
  }

  StoragePlan plan() {
    locate_values();
    for (uint32_t number = 0; number < graph_.nodes().size(); ++number) share_memory(number);
    plan_outputs();
    return placed();
  }

 private:
  // --- storages, views and lifetimes ---

  size_t new_storage(Storage storage) {
    storages_.push_back(std::move(storage));
    moved_to_.push_back(storages_.size() - 1);
    owners_.emplace_back();
    return storages_.size() - 1;
  }

  void locate_values() {
    for (const Port& port : graph_.inputs()) input_storages_.push_back(input_storage(port));
    for (uint32_t number = 0; number < graph_.nodes().size(); ++number) {
      locate_results(number);
      for (Value operand : graph_.nodes()[number].operands) extend(operand, number);
    }
    for (const Port& output : graph_.outputs()) {
      extend(output.value, end_);
      if (output.role == Role::state) continue;
      Storage& storage = storages_[location(output.value).storage];
      if (storage.kind == Place::Kind::arena) storage.use = MemoryUse::results;
    }
  }

  size_t input_storage(const Port& port) {
    const Type& type = graph_.type(port.value);
    uint32_t number = static_cast<uint32_t>(input_storages_.size());
    MemoryUse use = port.role == Role::state ? MemoryUse::state : MemoryUse::staged_input;
    return new_storage({Place::Kind::input, number, port.name, type, type.bytes(), 0, 0, use});
  }

  void locate_results(uint32_t number) {
    const Node& node = graph_.nodes()[number];
    if (node.op == &input_op) {
      size_t input = static_cast<size_t>(node.attrs.integer("number"));
      locations_[number] = {{input_storages_[input], 0}};
      return;
    }
    if (std::optional<int64_t> offset = view_offset(graph_, node)) {
      Location origin = location(node.operands[0]);
      locations_[number] = {{origin.storage, origin.offset + *offset}};
      return;
    }
    bool constant = node.op == &constant_op;
    Place::Kind kind = constant ? Place::Kind::constant : Place::Kind::arena;
    for (const Type& type : node.results)
      locations_[number].push_back({new_storage({kind, number, node_label(node), type, type.bytes(),
                                                 number, number, use_of(node)}),
                                    0});
    int64_t workspace = memory_[number].workspace_bytes;
    if (workspace > 0)
      workspaces_[number] =
          new_storage({Place::Kind::arena, 0, node_label(node), bytes_type(workspace), workspace,
                       number, number, MemoryUse::workspace});
  }

  void extend(Value value, int64_t time) {
    Storage& storage = storages_[location(value).storage];
    storage.end = std::max(storage.end, time);
  }

  Location location(Value value) const { return current(locations_[value.node][value.index]); }

  Location current(Location location) const {
    while (moved_to_[location.storage] != location.storage)
      location.storage = moved_to_[location.storage];
    return location;
  }

  // --- one memory for several values ---

  void share_memory(uint32_t number) {
    const Node& node = graph_.nodes()[number];
    for (uint32_t result = 0; result < locations_[number].size(); ++result) {
      size_t storage = locations_[number][result].storage;
      if (storages_[storage].kind != Place::Kind::arena || view_offset(graph_, node)) continue;
      if (!replace_state(number, result, storage)) overwrite_operand(number, result, storage);
    }
  }

  // Puts a new state value where the old one was.
  bool replace_state(uint32_t number, uint32_t result, size_t storage) {
    for (const Port& output : graph_.outputs()) {
      if (output.role != Role::state || location(output.value) != Location{storage, 0}) continue;
      if (graph_.type(output.value).bytes() != storages_[storage].bytes) continue;
      size_t old = state_storage(output.name);
      if (!may_take(number, result, old)) continue;
      merge(storage, old, number);
      return true;
    }
    return false;
  }

  void overwrite_operand(uint32_t number, uint32_t result, size_t storage) {
    for (Overwrite pair : memory_[number].may_overwrite) {
      if (pair.result != result) continue;
      Location operand = location(graph_.nodes()[number].operands[pair.operand]);
      const Storage& target = storages_[operand.storage];
      bool usable = target.kind == Place::Kind::arena && operand.offset == 0 &&
                    target.bytes == storages_[storage].bytes && target.end == number;
      if (!usable || !may_take(number, result, operand.storage)) continue;
      merge(storage, operand.storage, number);
      return;
    }
  }

  // Whether nothing else needs `target` from the run of the node on: all that the node itself reads
  // there may be overwritten by the result.
  bool may_take(uint32_t number, uint32_t result, size_t target) const {
    const Storage& storage = storages_[target];
    if (storage.end > number || taken_by(target, number)) return false;
    const Node& node = graph_.nodes()[number];
    for (uint32_t operand = 0; operand < node.operands.size(); ++operand) {
      Location read = location(node.operands[operand]);
      if (read.storage != target) continue;
      auto allows = [&](Overwrite pair) {
        return pair.result == result && pair.operand == operand;
      };
      const auto& pairs = memory_[number].may_overwrite;
      bool same_block =
          read.offset == 0 && graph_.type(node.operands[operand]).bytes() == storage.bytes;
      if (!same_block || std::none_of(pairs.begin(), pairs.end(), allows)) return false;
    }
    return true;
  }

  bool taken_by(size_t target, uint32_t number) const {
    return !owners_[target].empty() && owners_[target].back().since == static_cast<int64_t>(number);
  }

  void merge(size_t from, size_t into, uint32_t number) {
    Storage& block = storages_[into];
    owners_[into].push_back({from, number});
    block.end = std::max(block.end, storages_[from].end);
    moved_to_[from] = into;
  }

  size_t state_storage(std::string_view name) const {
    for (size_t i = 0; i < graph_.inputs().size(); ++i)
      if (graph_.inputs()[i].role == Role::state && graph_.inputs()[i].name == name)
        return input_storages_[i];
    throw Error("H702", {.message = fmt::format("no state input is named '{}'", name)});
  }

  // --- outputs ---

  struct OutputCopy {
    Location from, to;
    int64_t bytes = 0;
  };

  // Results are copied out of the buffers of inputs first, then state is written; an old state
  // value that becomes another state goes through the arena, so that no copy reads what one before
  // it wrote.
  void plan_outputs() {
    for (const Port& output : graph_.outputs()) outputs_.push_back(output_location(output));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Port& output = graph_.outputs()[i];
      if (output.role != Role::state) continue;
      Location target{state_storage(output.name), 0};
      int64_t bytes = graph_.type(output.value).bytes();
      if (outputs_[i] != target) state_copies_.push_back({outputs_[i], target, bytes});
      outputs_[i] = target;
    }
  }

  Location output_location(const Port& output) {
    Location from = location(output.value);
    const Storage& storage = storages_[from.storage];
    bool own_state = output.role == Role::state && from == Location{state_storage(output.name), 0};
    if (storage.kind == Place::Kind::arena || own_state) return from;
    if (output.role == Role::state && storage.use != MemoryUse::state) return from;
    const Type& type = graph_.type(output.value);
    MemoryUse use = output.role == Role::state ? MemoryUse::workspace : MemoryUse::results;
    Location to{
        new_storage({Place::Kind::arena, 0, output.name, type, type.bytes(), end_, end_, use}), 0};
    first_copies_.push_back({from, to, type.bytes()});
    return to;
  }

  // --- the result ---

  std::vector<LiveBlock> arena_blocks() const {
    std::vector<LiveBlock> blocks;
    for (size_t i = 0; i < storages_.size(); ++i) {
      bool placed = storages_[i].kind == Place::Kind::arena && moved_to_[i] == i;
      blocks.push_back({placed ? storages_[i].bytes : 0, storages_[i].begin, storages_[i].end});
    }
    return blocks;
  }

  // Each block counts for its first value until the next one takes it over, and so on. What took
  // over the memory of a state counts as that state.
  std::vector<Storage> counted() const {
    std::vector<Storage> all = storages_;
    for (size_t i = 0; i < all.size(); ++i) {
      if (storages_[i].kind == Place::Kind::input) {
        for (const Owner& owner : owners_[i]) all[owner.storage].bytes = 0;
        continue;
      }
      size_t current = i;
      for (const Owner& owner : owners_[i]) {
        all[current].end = owner.since - 1;
        all[owner.storage].end = storages_[i].end;
        current = owner.storage;
      }
    }
    return all;
  }

  StoragePlan placed() {
    Packing packing = pack(arena_blocks());
    auto place = [&](Location original) {
      Location location = current(original);
      const Storage& storage = storages_[location.storage];
      int64_t base = storage.kind == Place::Kind::arena ? packing.offsets[location.storage] : 0;
      return Place{storage.kind, storage.number, base + location.offset};
    };
    StoragePlan plan;
    for (const auto& results : locations_) {
      plan.values.emplace_back();
      for (Location location : results) plan.values.back().push_back(place(location));
    }
    for (std::optional<size_t> workspace : workspaces_)
      plan.workspaces.push_back(workspace ? packing.offsets[*workspace] : 0);
    for (Location location : outputs_) plan.outputs.push_back(place(location));
    for (const auto* copies : {&first_copies_, &state_copies_})
      for (const OutputCopy& copy : *copies)
        plan.copies.push_back({place(copy.from), place(copy.to), copy.bytes});
    plan.summary = summarize(counted(), packing.bytes, end_);
    return plan;
  }

  const Graph& graph_;
  std::span<const NodeMemory> memory_;
  int64_t end_;  // the time after the last node
  std::vector<Storage> storages_;
  std::vector<size_t> moved_to_;                   // by storage; itself when it was not merged
  std::vector<std::vector<Owner>> owners_;         // by storage: who took it over, in order
  std::vector<size_t> input_storages_;             // by input
  std::vector<std::vector<Location>> locations_;   // by node and result
  std::vector<std::optional<size_t>> workspaces_;  // by node
  std::vector<Location> outputs_;                  // by output
  std::vector<OutputCopy> first_copies_, state_copies_;
};

// A slice is a view when its elements adjoin: behind the first axis that is longer than 1 in the
// result, every axis is whole.
std::optional<int64_t> slice_offset(const Type& operand, const Node& node) {
  const Integers& starts = node.attrs.integers("starts");
  const Shape& shape = node.results[0].shape;
  std::vector<int64_t> strides = operand.shape.strides();
  bool behind_a_long_axis = false;
  int64_t offset = 0;
  for (size_t axis = 0; axis < starts.size(); ++axis) {
    int64_t extent = shape[static_cast<int64_t>(axis)];
    bool whole = extent == operand.shape[static_cast<int64_t>(axis)];
    if (extent > 1 && node.attrs.integers("strides")[axis] != 1) return {};
    if (behind_a_long_axis && !whole) return {};
    behind_a_long_axis |= extent != 1;
    offset += starts[axis] * strides[axis];
  }
  return offset * static_cast<int64_t>(size_of(operand.dtype));
}

}  // namespace

StoragePlan plan_memory(const Graph& graph, std::span<const NodeMemory> memory) {
  return Planner(graph, memory).plan();
}

std::optional<int64_t> view_offset(const Graph& graph, const Node& node) {
  if (node.op == &reshape_op || node.op == &optimization_barrier_op) return 0;
  if (node.op == &slice_op) return slice_offset(graph.type(node.operands[0]), node);
  return {};
}

std::string print(const Graph& graph, const StoragePlan& plan) {
  auto text_of = [&](Place place) {
    std::string base = "arena";
    if (place.kind == Place::Kind::input)
      base = fmt::format("\"{}\"", graph.inputs()[place.number].name);
    if (place.kind == Place::Kind::constant) base = fmt::format("constant %{}", place.number);
    return fmt::format("{} + {}", base, place.offset);
  };
  std::string text;
  for (size_t node = 0; node < plan.values.size(); ++node)
    for (size_t index = 0; index < plan.values[node].size(); ++index)
      text += fmt::format("%{}.{} {} : {}\n", node, index, text_of(plan.values[node][index]),
                          graph.nodes()[node].results[index].bytes());
  for (const PlannedCopy& copy : plan.copies)
    text += fmt::format("copy {} to {} : {}\n", text_of(copy.from), text_of(copy.to), copy.bytes);
  return text +
         fmt::format("arena {} peak {}\n", plan.summary.arena_bytes, plan.summary.peak_bytes);
}

}  // namespace hornbeam
