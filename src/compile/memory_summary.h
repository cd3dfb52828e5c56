// Counts what a memory plan needs, by use.
#pragma once

#include <span>
#include <string>

#include "compile/memory_plan.h"

namespace hornbeam {

// A block of memory for one or more values.
struct Storage {
  Place::Kind kind = Place::Kind::arena;
  uint32_t input = 0;  // for Kind::input
  std::string name;    // for people
  Type type;
  int64_t bytes = 0;  // 0 when its values have moved to another storage
  int64_t begin = 0;  // the first and the last node that need it
  int64_t end = 0;
  MemoryUse use = MemoryUse::activations;
  bool constant = false;
  int64_t taken_at = -1;  // the last node whose result took it over
};

MemoryPlan summarize(std::span<const Storage> storages, int64_t arena_bytes, int64_t end);

std::string node_label(const Node& node);  // "block_1/conv: multiply"
MemoryUse use_of(const Node& node);        // by its scope: "gradient/…", "optimizer…"
Type bytes_type(int64_t bytes);            // of a block without elements

}  // namespace hornbeam
