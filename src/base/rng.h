// Counter-based random numbers: Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", 2011). The n-th number of a key is a function of
// key and n alone, so it is the same on every backend and at any number of threads.
#pragma once

#include <cstdint>
#include <utility>

namespace hornbeam {

// The 64 random bits at `counter` of the stream `key`; the low word is the first number.
uint64_t threefry(uint64_t key, uint64_t counter);

// An independent stream for each `data`.
inline uint64_t fold_in(uint64_t key, uint64_t data) { return threefry(key, data); }

// A stream of numbers drawn one after another, for host-side uses (initializers, shuffling).
class Random {
 public:
  explicit Random(uint64_t key) : key_(key) {}
  uint64_t bits() { return threefry(key_, counter_++); }
  double uniform();                // in [0, 1), 53 bits
  double normal();                 // mean 0, standard deviation 1 (Box-Muller)
  uint64_t below(uint64_t bound);  // in [0, bound), without bias; bound > 0

 private:
  uint64_t key_;
  uint64_t counter_ = 0;
};

}  // namespace hornbeam
