// A data set cut into batches of one fixed size, shuffled anew each epoch and prepared ahead; small
// ones are gathered when they are asked for, because handing them over would take longer.
//
// The order of an epoch is a function of seed and epoch number alone: the same on any machine, at
// any number of threads, in a resumed run. Numbers keep their stored dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/dataset.h"
#include "data/prefetch.h"

namespace hornbeam {

struct BatchOptions {
  int64_t batch_size = 32;
  bool shuffle = true;
  uint64_t seed = 0;
  int64_t staging = 2;  // batches in memory at once, at least 2
};

// Of an epoch. Throws H302 unless batch_size > 0, and what check_dataset does.
int64_t steps_per_epoch(const Dataset& data, const BatchOptions& options);

class Batches {
 public:
  // `data` is checked (check_dataset) and must outlive this. Throws H302 unless batch_size > 0.
  Batches(const Dataset& data, const BatchOptions& options);
  // With staging batches of the caller, each like new_batch(data, options.batch_size).
  Batches(const Dataset& data, const BatchOptions& options, std::vector<Batch> staging);

  int64_t steps_per_epoch() const { return steps_; }

  // As Prefetch has them. The last batch of an epoch may have fewer valid samples than batch_size.
  // Starting the next epoch as soon as one has ended prepares its batches during validation.
  void start_epoch(int64_t epoch);
  const Batch* next();

 private:
  const Batch* gathered_now();
  void fill(int64_t epoch, int64_t step, Batch& batch);

  const Dataset& data_;
  const BatchOptions options_;
  const int64_t steps_;
  std::vector<int64_t> order_;  // of the samples in the epoch being prepared; of who fills batches
  int64_t epoch_ = 0, given_;   // as in Prefetch, for small batches
  std::optional<Batch> small_;
  std::optional<Prefetch> prefetch_;  // last: its thread uses all above
};

// An empty batch for this data set: the samples' shapes and dtypes, zeros.
Batch new_batch(const Dataset& data, int64_t batch_size);
size_t bytes_of(const Batch& batch);

// Fills `order` with a permutation of 0 … size-1 (Fisher and Yates' shuffle with counter-based
// random numbers).
void shuffle(std::vector<int64_t>& order, uint64_t seed, int64_t epoch);

}  // namespace hornbeam
