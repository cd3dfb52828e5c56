// The text form of a graph, printed and parsed back: what pass tests, dumps and inspect show.
//
//   %0 = input "x" batch : float32[2,3]
//   %1 = constant {value = 2} : float32[]
//   %2 = broadcast_in_dim(%1) {shape = [2,3], dimensions = []} : float32[2,3]
//   %3 = multiply(%0, %2) : float32[2,3]
//   output "y" result %3
//
// A second result of node 4 is written %4.1. Bodies follow the types in braces. A scope stands
// behind the types: `: float32[2,3] @ "dense"`. The tensors of
// constants are written as nested-free lists of all elements; numbers survive the round trip.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace hornbeam {

enum class Scopes { hidden, shown };
std::string print(const Graph& graph, Scopes scopes = Scopes::hidden);

// The graph of a text, with `ops` as the known operations (ops/all.h gives them all). Throws H702
// with the line for anything malformed, H701 for wrong types. Lines that start with # are skipped.
Graph parse_graph(std::string_view text, std::span<const OpDef* const> ops);

}  // namespace hornbeam
