#include "compile/memory_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compile/arena.h"
#include "ir/scope.h"

namespace hornbeam {
namespace {

constexpr size_t most_listed = 20;

using BytesByUse = std::array<int64_t, memory_uses>;

int64_t sum_of(const BytesByUse& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

int64_t planned_bytes(const Storage& storage) {
  return storage.kind == Place::Kind::arena ? aligned_bytes(storage.bytes) : storage.bytes;
}

// The live bytes by use at the moment when most are alive.
BytesByUse largest_moment(std::span<const Storage> storages, int64_t end) {
  std::vector<BytesByUse> changes(static_cast<size_t>(end) + 2, BytesByUse{});
  for (const Storage& storage : storages) {
    bool always = storage.kind != Place::Kind::arena;
    size_t use = static_cast<size_t>(storage.use);
    changes[always ? 0 : static_cast<size_t>(storage.begin)][use] += planned_bytes(storage);
    changes[static_cast<size_t>(always ? end : storage.end) + 1][use] -= planned_bytes(storage);
  }
  BytesByUse live{}, most{};
  for (const BytesByUse& change : changes) {
    for (size_t use = 0; use < memory_uses; ++use) live[use] += change[use];
    if (sum_of(live) > sum_of(most)) most = live;
  }
  return most;
}

std::vector<PlannedTensor> largest_of(std::span<const Storage> storages) {
  std::vector<const Storage*> order;
  for (const Storage& storage : storages)
    if (storage.bytes > 0) order.push_back(&storage);
  std::stable_sort(order.begin(), order.end(),
                   [](const Storage* a, const Storage* b) { return a->bytes > b->bytes; });
  std::vector<PlannedTensor> largest;
  for (const Storage* storage : order) {
    if (largest.size() == most_listed) break;
    largest.push_back({storage->name, storage->type, storage->bytes, storage->use});
  }
  return largest;
}

}  // namespace

MemoryPlan summarize(std::span<const Storage> storages, int64_t arena_bytes, int64_t end) {
  MemoryPlan plan{.arena_bytes = arena_bytes,
                  .peak_by_use = largest_moment(storages, end),
                  .largest = largest_of(storages)};
  plan.peak_bytes = arena_bytes;
  for (const Storage& storage : storages) {
    if (storage.kind == Place::Kind::arena) continue;
    plan.peak_bytes += storage.bytes;
    if (storage.use == MemoryUse::state) plan.state_bytes += storage.bytes;
  }
  return plan;
}

std::string node_label(const Node& node) {
  return node.scope.empty() ? std::string(node.op->name)
                            : fmt::format("{}: {}", node.scope, node.op->name);
}

MemoryUse use_of(const Node& node) {
  switch (origin_of(node.scope).phase) {
    case Phase::forward:
      return MemoryUse::activations;
    case Phase::backward:
      return MemoryUse::gradients;
    case Phase::update:
      return MemoryUse::optimizer;
  }
  __builtin_unreachable();
}

Type bytes_type(int64_t bytes) { return {DType::uint8, Shape{bytes}}; }

}  // namespace hornbeam
