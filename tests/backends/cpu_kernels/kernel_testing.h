// What every kernel test needs: numbers, aligned workspaces with a guard behind them, and a run
// over all instruction sets and several thread counts, which must agree bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/kernels/isa.h"
#include "base/rng.h"
#include "base/threads.h"

namespace hornbeam {

inline std::vector<float> random_floats(int64_t count, uint64_t key, double low = -1,
                                        double high = 1) {
  Random random(key);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(low + (high - low) * random.uniform());
  return values;
}

// 64-byte aligned memory full of NaN, with a guard behind it that is checked at the end.
class TestWorkspace {
 public:
  explicit TestWorkspace(int64_t bytes)
      : bytes_(static_cast<size_t>(bytes)),
        memory_(new (std::align_val_t{64}) std::byte[bytes_ + guard]) {
    std::memset(memory_.get(), 0xff, bytes_ + guard);
  }
  ~TestWorkspace() {
    for (size_t i = 0; i < guard; ++i)
      EXPECT_EQ(memory_[bytes_ + i], std::byte{0xff}) << "written behind the workspace";
  }
  void* data() { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { operator delete[](memory, std::align_val_t{64}); }
  };
  static constexpr size_t guard = 256;
  size_t bytes_;
  std::unique_ptr<std::byte[], Free> memory_;
};

// Runs `kernel(threads)` with 1, 2 and 3 threads on every instruction set, and hands the result of
// each set to `verify`.
inline void on_every_machine(const std::function<std::vector<float>(ThreadPool&)>& kernel,
                             const std::function<void(const std::vector<float>&)>& verify) {
  for (std::string_view isa : available_isas()) {
    SCOPED_TRACE(std::string(isa));
    force_isa(isa);
    std::vector<float> first;
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      const std::vector<float> result = kernel(pool);
      if (threads == 1) {
        verify(result);
        first = result;
      } else {
        ASSERT_EQ(result.size(), first.size());
        EXPECT_EQ(std::memcmp(result.data(), first.data(), result.size() * sizeof(float)), 0)
            << threads << " threads differ from one";
      }
    }
  }
  force_isa(available_isas().front());
}

// Every value within `tolerance` times `scale[i]` (the sum of the magnitudes that were added up).
inline void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                        const std::vector<double>& scale, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double bound = tolerance * scale[i] + 1e-30;
    ASSERT_LE(std::abs(actual[i] - expected[i]), bound)
        << "at " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

}  // namespace hornbeam
