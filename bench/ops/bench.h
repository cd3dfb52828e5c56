// The measurements of bench_ops, one function a family of kernels. Each prints a table.
#pragma once

#include "base/threads.h"

namespace hornbeam {

void bench_gemm(ThreadPool& threads);
void bench_convolution(ThreadPool& threads);
void bench_accuracy(ThreadPool& threads);

}  // namespace hornbeam
