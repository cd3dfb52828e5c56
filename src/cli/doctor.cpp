#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <iostream>

#include "backends/backends.h"
#include "backends/cpu/kernels/isa.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/session.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

using Clock = std::chrono::steady_clock;

double best_seconds(int repeats, const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    Clock::time_point start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Bytes read and written each second by copying a block that no cache holds.
double copy_rate() {
  constexpr size_t size = size_t{128} << 20;
  std::vector<char> from(size, 1), to(size, 2);
  return 2.0 * size / best_seconds(3, [&] { std::memcpy(to.data(), from.data(), size); });
}

// Floating-point operations each second of one square matrix product on the backend.
double product_rate(Backend& backend) {
  constexpr int64_t n = 512;
  Builder build;
  Type type{DType::float32, {n, n}};
  Expr a = build.input("a", type), b = build.input("b", type);
  build.output("c", dot(a, b), Role::batch);
  std::unique_ptr<Executable> step = backend.compile(build.finish(), {});
  step->prepare();
  std::vector<Buffer> inputs{backend.allocate(type, Role::batch),
                             backend.allocate(type, Role::batch)},
      outputs(1);
  return 2.0 * n * n * n / best_seconds(5, [&] { step->run(inputs, outputs); });
}

}  // namespace

int run_doctor(const Options& options) {
  int cores = available_cores();
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = cores});
  uint64_t memory = allowed_memory();
  std::vector<std::string_view> isas = available_isas();
  double products = product_rate(*backend) * 1e-9, copies = copy_rate() * 1e-9;
  if (options.json) {
    print_json(Json::object({{"version", HORNBEAM_VERSION},
                             {"cores", cores},
                             {"instruction_sets", Json::Array(isas.begin(), isas.end())},
                             {"memory_bytes", static_cast<int64_t>(memory)},
                             {"matrix_product_gflops", products},
                             {"memory_gb_per_second", copies}}));
    return 0;
  }
  std::cout << fmt::format(
      "hornbeam {}\ncores            {}\ninstruction sets {}\nmemory           {}\n"
      "matrix products  {:.1f} GFLOP/s (float32, 512 x 512)\n"
      "memory copies    {:.1f} GB/s\n",
      HORNBEAM_VERSION, cores, fmt::join(isas, ", "), bytes_text(memory), products, copies);
  return 0;
}

}  // namespace hornbeam
