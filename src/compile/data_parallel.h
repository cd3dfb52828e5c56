// The data_parallel pass: gives replicas their meaning on one device or several.
//
// The graph that comes in is traced for one slice: inputs and outputs of role batch have the
// slice's extent along axis 0. The graph that goes out takes the whole batch, cuts it into
// `replicas` contiguous slices and runs them one after another.
#pragma once

#include "ir/graph.h"

namespace hornbeam {

// With several devices each of them runs that graph on its part of the batch, and `replicas` is the
// number of its slices: sums over slices go on over the devices as all_reduce, and slices are
// counted across devices by replica_id.
//
// Nodes that depend on the batch or on replica_id are repeated for each slice. all_reduce becomes a
// sum over slices by a fixed binary tree: left to right, two sums of equally many slices are added
// as soon as both exist, what is left at the end from right to left. With several all_reduces on a
// path the slices run once for each stage between them. Throws H702 for a state or result output
// that differs between slices, and for an all_reduce or replica_id inside a body.
Graph data_parallel(const Graph& graph, int replicas, int devices = 1);

}  // namespace hornbeam
