#include <cstdio>
#include <functional>

#include "backends/cpu/kernels/gemm.h"
#include "base/rng.h"
#include "bench.h"
#include "measure.h"

#ifdef HORNBEAM_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace hornbeam {
namespace {

std::function<void()> peer(const Gemm& p, const float* a, const float* b, float* c, int threads) {
#ifdef HORNBEAM_BENCH_OPENBLAS
  openblas_set_num_threads(threads);
  return [=] {
    const auto size = [](int64_t value) { return static_cast<int>(value); };
    cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
                p.transpose_b ? CblasTrans : CblasNoTrans, size(p.rows), size(p.columns),
                size(p.depth), 1, a, size(p.leading_a), b, size(p.leading_b), 0, c,
                size(p.leading_c));
  };
#else
  return [=] { (void)p, (void)a, (void)b, (void)c, (void)threads; };
#endif
}

// `kept` of the elements of A, the others are zero, as behind a ReLU and a dropout.
void measure(const char* what, const Gemm& p, ThreadPool& threads, double peak, double kept = 1) {
  const Floats a = random_block(p.rows * p.depth), b = random_block(p.depth * p.columns);
  Random random(2);
  for (int64_t i = 0; kept < 1 && i < p.rows * p.depth; ++i)
    if (random.uniform() >= kept) a[i] = 0;
  const Floats c = random_block(p.rows * p.columns);
  const Floats workspace = random_block(gemm_workspace(p, threads.threads()) / 4);
  const auto [ours, theirs] = seconds_of_both(
      [&] { gemm(p, a.get(), b.get(), nullptr, c.get(), workspace.get(), threads); },
      peer(p, a.get(), b.get(), c.get(), threads.threads()));
  const double work = 2e-9 * static_cast<double>(p.rows * p.columns * p.depth);
  std::printf("  %-28s %6ld %6ld %7ld %s%s %9.1f us %7.1f GF/s  %.2f of peak  %.2f of OpenBLAS\n",
              what, p.rows, p.columns, p.depth, p.transpose_a ? "T" : "N",
              p.transpose_b ? "T" : "N", ours * 1e6, work / ours, work / ours / peak,
              theirs / ours);
}

}  // namespace

void bench_gemm(ThreadPool& threads) {
  const double peak = peak_gflops(threads);
  std::printf("gemm, %d thread(s), peak %.1f GF/s\n", threads.threads(), peak);
  for (int64_t batch : {256, 1024, 4096}) {
    measure("dense forward", dense_gemm(batch, 2048, 3072), threads, peak);
    measure("dense, gradient to input", dense_gemm(batch, 3072, 2048, false, true), threads, peak);
    measure("dense, gradient to kernel", dense_gemm(3072, 2048, batch, true, false), threads, peak);
    measure("dense forward", dense_gemm(batch, 512, 1024), threads, peak);
    for (double kept : {0.25, 0.5}) {
      measure("mostly zeros", dense_gemm(batch, 1024, 2048), threads, peak, kept);
      measure("same, gradient to kernel", dense_gemm(2048, 1024, batch, true, false), threads, peak,
              kept);
    }
    measure("dense forward, classes", dense_gemm(batch, 10, 512), threads, peak);
    measure("same, gradient to kernel", dense_gemm(512, 10, batch, true, false), threads, peak);
    measure("same, gradient to input", dense_gemm(batch, 512, 10, false, true), threads, peak);
  }
  measure("first convolution, to kernel", dense_gemm(27, 96, 131072, true, false), threads, peak);
  measure("first convolution", dense_gemm(131072, 96, 27), threads, peak);
  measure("square", dense_gemm(1024, 1024, 1024), threads, peak);
  measure("square", dense_gemm(128, 128, 128), threads, peak);
  measure("one sample", dense_gemm(1, 2048, 3072), threads, peak);
  measure("tiny", dense_gemm(32, 32, 16), threads, peak);
  measure("tiny", dense_gemm(32, 16, 32), threads, peak);
  measure("tiny, to kernel", dense_gemm(32, 16, 32, true, false), threads, peak);
  measure("tiny, to input", dense_gemm(32, 32, 16, false, true), threads, peak);
}

}  // namespace hornbeam
