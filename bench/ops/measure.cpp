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

[[gnu::target("avx2,fma")]] void fma_loop_256(int rounds, float* out) {
  __m256 sum[12];
  for (int i = 0; i < 12; ++i) sum[i] = _mm256_set1_ps(0.1f * static_cast<float>(i));
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-6f);
  for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) {
      sum[i] = _mm256_fmadd_ps(sum[i], x, y);
      asm volatile("" : "+x"(sum[i]));
    }
  for (int i = 0; i < 12; ++i) _mm256_storeu_ps(out, _mm256_add_ps(sum[i], _mm256_loadu_ps(out)));
}

[[gnu::target("avx512f")]] void fma_loop_512(int rounds, float* out) {
  __m512 sum[12];
  for (int i = 0; i < 12; ++i) sum[i] = _mm512_set1_ps(0.1f * static_cast<float>(i));
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-6f);
  for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) {
      sum[i] = _mm512_fmadd_ps(sum[i], x, y);
      asm volatile("" : "+v"(sum[i]));
    }
  for (int i = 0; i < 12; ++i) _mm512_storeu_ps(out, _mm512_add_ps(sum[i], _mm512_loadu_ps(out)));
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
      float out[16] = {};
      wide ? fma_loop_512(rounds, out) : fma_loop_256(rounds, out);
      volatile float sink = out[0];
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
