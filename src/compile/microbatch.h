// The microbatch pass: a batch in parts, one after another, with the result of the whole batch.
//
// Every stage (compile/microbatch_stages.h) becomes a scan over the parts. Sums over the batch are
// carried from part to part; mean and variance are put together from those of the parts (T. Chan,
// G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979). Random numbers are those of the whole batch. Results differ from those of the
// uncut batch by the rounding of sums alone.
#pragma once

#include "compile/microbatch_stages.h"

namespace hornbeam {

// `samples`, of which the batch is a multiple, go through the graph at a time.
Graph microbatch(const MicrobatchStages& stages, int64_t samples, const std::set<Value>& kept);

}  // namespace hornbeam
