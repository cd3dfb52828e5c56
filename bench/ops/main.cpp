// bench_ops [--threads T] [--isa NAME] [family ...]: each kernel against a limit of this machine.
// With several threads set OMP_WAIT_POLICY=passive, or the waiting threads of OpenBLAS and oneDNN
// take our cores.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "backends/cpu/kernels/isa.h"
#include "base/error.h"
#include "bench.h"

namespace hornbeam {
namespace {

struct Family {
  std::string_view name;
  void (*run)(ThreadPool&);
};

constexpr Family families[] = {
    {"gemm", bench_gemm}, {"convolution", bench_convolution}, {"accuracy", bench_accuracy}};

int run(const std::vector<std::string_view>& words) {
  int threads = available_cores();
  std::vector<std::string_view> chosen;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--threads" && i + 1 < words.size())
      threads = std::max(1, std::atoi(words[++i].data()));
    else if (words[i] == "--isa" && i + 1 < words.size())
      force_isa(words[++i]);
    else
      chosen.push_back(words[i]);
  }
  ThreadPool pool(threads);
  std::printf("instruction set %s\n", std::string(current_isa()).c_str());
  for (const Family& family : families)
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), family.name) != chosen.end())
      family.run(pool);
  return 0;
}

}  // namespace
}  // namespace hornbeam

int main(int count, char** words) {
  try {
    return hornbeam::run({words + 1, words + count});
  } catch (const hornbeam::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
