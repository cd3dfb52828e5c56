// Counts what a memory plan needs, by use.
#pragma once

#include <span>
#include <string>

#include "compile/memory_plan.h"

namespace hornbeam {

// The memory of a value and its views. Another value may take it over when they are dead.
struct Storage {
  Place::Kind kind = Place::Kind::arena;
  uint32_t number = 0;  // as in Place
  std::string name;     // for people
  Type type;
  int64_t bytes = 0;
  int64_t begin = 0;  // the first and the last node that need it
  int64_t end = 0;
  MemoryUse use = MemoryUse::activations;
};

// `storages` with the time for which each counts: one that was taken over ends there.
MemoryPlan summarize(std::span<const Storage> storages, int64_t arena_bytes, int64_t end);

std::string node_label(const Node& node);  // "block_1/conv: multiply"
MemoryUse use_of(const Node& node);        // by its scope
Type bytes_type(int64_t bytes);            // of a block without elements

}  // namespace hornbeam
