// What the compiler's passes did: their times and sizes, and the graphs behind those asked for.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "ir/graph.h"
#include "runtime/backend.h"

namespace hornbeam {

std::string passes_table(const std::vector<PassRecord>& passes);
Json passes_json(const std::vector<PassRecord>& passes);

// Keeps the text of a graph after every run of the passes of these names, in the order of the runs.
class PassDumps {
 public:
  explicit PassDumps(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(std::string_view pass, const Graph& graph);
  // Throws H302 when a pass that was asked for did not run.
  void require_all(const std::vector<PassRecord>& passes) const;
  std::string text() const;
  Json json() const;

 private:
  struct Dump {
    std::string pass, graph;
  };
  std::vector<std::string> names_;
  std::vector<Dump> dumps_;
};

}  // namespace hornbeam
