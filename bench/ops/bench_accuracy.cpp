// How far each method of convolution is from the sum in float64: the table that says which method
// counts as float32 (docs/performance.md).
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernels/convolution.h"
#include "bench.h"
#include "measure.h"

namespace hornbeam {
namespace {

Convolution layer(int64_t batch, int64_t size, int64_t in, int64_t out) {
  return {.batch = batch,
          .height = size,
          .width = size,
          .in_channels = in,
          .kernel_height = 3,
          .kernel_width = 3,
          .out_channels = out,
          .padding_top = 1,
          .padding_bottom = 1,
          .padding_left = 1,
          .padding_right = 1};
}

struct Operands {
  explicit Operands(const Convolution& p)
      : inputs(p.batch * p.height * p.width * p.in_channels),
        kernels(9 * p.in_channels * p.out_channels),
        outputs(p.batch * p.height * p.width * p.out_channels),
        input(random_block(inputs)),
        kernel(random_block(kernels)),
        gradient(random_block(outputs)) {}
  int64_t inputs, kernels, outputs;
  Floats input, kernel, gradient;
};

// Calls visit(output pixel, input pixel, tap) for every pair of pixels that a tap joins.
template <class Visit>
void for_each_pair(const Convolution& p, Visit&& visit) {
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t y = 0; y < p.height; ++y)
      for (int64_t x = 0; x < p.width; ++x)
        for (int64_t tap = 0; tap < 9; ++tap) {
          const int64_t from_y = y + tap / 3 - 1, from_x = x + tap % 3 - 1;
          if (from_y < 0 || from_y >= p.height || from_x < 0 || from_x >= p.width) continue;
          visit((n * p.height + y) * p.width + x, (n * p.height + from_y) * p.width + from_x, tap);
        }
}

// All three passes by their definition, summed one product after the other.
template <class Float>
struct PlainSums {
  PlainSums(const Convolution& p, const Operands& on)
      : forward(static_cast<size_t>(on.outputs)),
        to_input(static_cast<size_t>(on.inputs)),
        to_kernel(static_cast<size_t>(on.kernels)) {
    const int64_t in = p.in_channels, out = p.out_channels;
    for_each_pair(p, [&](int64_t to, int64_t from, int64_t tap) {
      const float* gradient = on.gradient.get() + to * out;
      for (int64_t i = 0; i < in; ++i) {
        const float* weights = on.kernel.get() + (tap * in + i) * out;
        const Float input = on.input[from * in + i];
        Float* result = forward.data() + to * out;
        Float* kernel = to_kernel.data() + (tap * in + i) * out;
        Float& sum = to_input[static_cast<size_t>(from * in + i)];
        for (int64_t o = 0; o < out; ++o) {
          result[o] += input * weights[o];
          kernel[o] += input * gradient[o];
          sum += Float{gradient[o]} * weights[o];
        }
      }
    });
  }
  std::vector<Float> forward, to_input, to_kernel;
};

// Relative L2 distance.
double distance(const float* result, const std::vector<double>& exact) {
  double error = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    error += std::pow(result[i] - exact[i], 2);
    size += std::pow(exact[i], 2);
  }
  return std::sqrt(error / size);
}

void print_distances(std::string_view what, const float* forward, const float* to_input,
                     const float* to_kernel, const PlainSums<double>& exact) {
  std::printf("    %-14s %.1e  %.1e  %.1e\n", std::string(what).c_str(),
              distance(forward, exact.forward), distance(to_input, exact.to_input),
              distance(to_kernel, exact.to_kernel));
}

void measure(const Convolution& p, const Operands& on, const PlainSums<double>& exact,
             ConvolutionMethod method, ThreadPool& threads) {
  const auto workspace = [&](ConvolutionPass pass) {
    return random_block(convolution_workspace(p, pass, method, threads.threads()) / 4);
  };
  const Floats forward = random_block(on.outputs), to_input = random_block(on.inputs);
  const Floats to_kernel = random_block(on.kernels);
  convolution_forward(p, method, on.input.get(), on.kernel.get(), nullptr, forward.get(),
                      workspace(ConvolutionPass::forward).get(), threads);
  convolution_gradient_to_input(p, method, on.gradient.get(), on.kernel.get(), to_input.get(),
                                workspace(ConvolutionPass::gradient_to_input).get(), threads);
  convolution_gradient_to_kernel(p, method, on.input.get(), on.gradient.get(), to_kernel.get(),
                                 workspace(ConvolutionPass::gradient_to_kernel).get(), threads);
  print_distances(name_of(method), forward.get(), to_input.get(), to_kernel.get(), exact);
}

}  // namespace

void bench_accuracy(ThreadPool& threads) {
  std::printf(
      "accuracy: relative L2 distance from float64, numbers in [-1, 1); forward, to input, "
      "to kernel\n");
  for (const Convolution& p : {layer(4, 16, 96, 256), layer(8, 8, 256, 384), layer(8, 8, 384, 384),
                               layer(8, 8, 384, 256), layer(4, 16, 224, 224), layer(128, 8, 64, 64),
                               layer(32, 16, 40, 24), layer(16, 7, 33, 65)}) {
    std::printf("  %ldx%ld, %ld to %ld channels, batch %ld\n", p.height, p.width, p.in_channels,
                p.out_channels, p.batch);
    const Operands on(p);
    const PlainSums<double> exact(p, on);
    const PlainSums<float> plain(p, on);
    print_distances("plain sums", plain.forward.data(), plain.to_input.data(),
                    plain.to_kernel.data(), exact);
    for (ConvolutionMethod method : convolution_methods)
      if (convolution_refusal(p, ConvolutionPass::forward, method).empty())
        measure(p, on, exact, method, threads);
  }
}

}  // namespace hornbeam
