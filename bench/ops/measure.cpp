#include "measure.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/rng.h"

namespace hornbeam {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double once(const std::function<void()>& call) {
  const double begin = now();
  call();
  return now() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// So many calls that the clock's own steps do not count.
int calls_per_sample(const std::function<void()>& call) {
  const double first = once(call);
  return std::max(1, static_cast<int>(2e-4 / std::max(first, 1e-8)));
}

// Twelve independent chains keep both multipliers busy through their latency.
[[gnu::target("avx2,fma")]] inline void fma_step(__m256& sum, __m256 x, __m256 y) {
  asm volatile("vfmadd132ps %2, %1, %0" : "+x"(sum) : "x"(y), "x"(x));
}

[[gnu::target("avx2,fma")]] float fma_loop_256(int rounds) {
  __m256 s0 = _mm256_set1_ps(1), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  __m256 s6 = s0, s7 = s0, s8 = s0, s9 = s0, s10 = s0, s11 = s0;
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
  for (int round = 0; round < rounds; ++round) {
    fma_step(s0, x, y), fma_step(s1, x, y), fma_step(s2, x, y), fma_step(s3, x, y),
        fma_step(s4, x, y), fma_step(s5, x, y);
    fma_step(s6, x, y), fma_step(s7, x, y), fma_step(s8, x, y), fma_step(s9, x, y),
        fma_step(s10, x, y), fma_step(s11, x, y);
  }
  return _mm256_cvtss_f32(s0);
}

[[gnu::target("avx512f")]] inline void fma_step(__m512& sum, __m512 x, __m512 y) {
  asm volatile("vfmadd132ps %2, %1, %0" : "+v"(sum) : "v"(y), "v"(x));
}

[[gnu::target("avx512f")]] float fma_loop_512(int rounds) {
  __m512 s0 = _mm512_set1_ps(1), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  __m512 s6 = s0, s7 = s0, s8 = s0, s9 = s0, s10 = s0, s11 = s0;
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
  for (int round = 0; round < rounds; ++round) {
    fma_step(s0, x, y), fma_step(s1, x, y), fma_step(s2, x, y), fma_step(s3, x, y),
        fma_step(s4, x, y), fma_step(s5, x, y);
    fma_step(s6, x, y), fma_step(s7, x, y), fma_step(s8, x, y), fma_step(s9, x, y),
        fma_step(s10, x, y), fma_step(s11, x, y);
  }
  return _mm512_cvtss_f32(s0);
}

}  // namespace

double seconds_of(const std::function<void()>& call) {
  return seconds_of_both(call, [] {}).first;
}

std::pair<double, double> seconds_of_both(const std::function<void()>& first,
                                          const std::function<void()>& second) {
  first();
  second();
  const int calls_first = calls_per_sample(first), calls_second = calls_per_sample(second);
  std::vector<double> of_first, of_second;
  const auto sample = [](const std::function<void()>& call, int calls) {
    return once([&] {
             for (int i = 0; i < calls; ++i) call();
           }) /
           calls;
  };
  for (const double begin = now(); now() - begin < 0.3 || of_first.size() < 5;) {
    of_first.push_back(sample(first, calls_first));
    of_second.push_back(sample(second, calls_second));
  }
  return {median(of_first), median(of_second)};
}

double peak_gflops(ThreadPool& threads) {
  constexpr int rounds = 100000;
  const bool wide = __builtin_cpu_supports("avx512f");
  const double seconds = seconds_of([&] {
    threads.run(threads.threads(), [&](int64_t, int) {
      volatile float sink = wide ? fma_loop_512(rounds) : fma_loop_256(rounds);
      (void)sink;
    });
  });
  return 2.0 * (wide ? 16 : 8) * 12 * rounds * threads.threads() / seconds * 1e-9;
}

double copy_gigabytes(ThreadPool& threads) {
  constexpr int64_t count = int64_t{1} << 24, piece = int64_t{1} << 18;
  const Floats from = random_block(count), to = random_block(count);
  const double seconds = seconds_of([&] {
    threads.run(count / piece, [&](int64_t i, int) {
      std::memcpy(to.get() + i * piece, from.get() + i * piece, piece * sizeof(float));
    });
  });
  return 2.0 * count * sizeof(float) / seconds * 1e-9;
}

void AlignedFree::operator()(float* memory) const { std::free(memory); }

Floats random_block(int64_t count) {
  const size_t bytes = (static_cast<size_t>(count) * sizeof(float) + 4095) / 4096 * 4096;
  Floats block(static_cast<float*>(std::aligned_alloc(4096, std::max<size_t>(bytes, 4096))));
  for (int64_t i = 0; i < count; i += 2) {
    const uint64_t bits = threefry(1, static_cast<uint64_t>(i));
    block[i] = static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-31f;
    if (i + 1 < count)
      block[i + 1] = static_cast<float>(static_cast<int32_t>(bits >> 32)) * 0x1p-31f;
  }
  return block;
}

}  // namespace hornbeam
