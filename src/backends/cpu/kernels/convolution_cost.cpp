// What a method of convolution costs, in time and in accuracy.
#include "backends/cpu/kernels/convolution.h"
#include "backends/cpu/kernels/winograd.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

// Multiply-adds done in the time in which one number is transformed and passes through the caches;
// measured with bench_ops on layers of 3 to 384 channels.
constexpr double transform_cost = 20;

double winograd_cost(const Convolution& p, ConvolutionPass pass, WinogradTile tile) {
  const bool to_input = pass == ConvolutionPass::gradient_to_input;
  const int64_t height = to_input ? p.height : p.out_height();
  const int64_t width = to_input ? p.width : p.out_width();
  const double tiles =
      static_cast<double>(p.batch * divide_up(height, tile.height) * divide_up(width, tile.width));
  const double points = static_cast<double>(tile.points());
  const double in = static_cast<double>(p.in_channels), out = static_cast<double>(p.out_channels);
  return points * (tiles * in * out + transform_cost * (tiles * (in + out) + in * out));
}

double direct_sum(const Convolution& p) {
  return static_cast<double>(p.batch * p.out_height() * p.out_width() * p.out_channels) *
         static_cast<double>(p.kernel_height * p.kernel_width * (p.in_channels / p.groups));
}

// Products that are summed up to one number of the result.
int64_t terms(const Convolution& p, ConvolutionPass pass) {
  const int64_t tap_count = p.kernel_height * p.kernel_width;
  switch (pass) {
    case ConvolutionPass::forward:
      return tap_count * p.in_channels / p.groups;
    case ConvolutionPass::gradient_to_input:
      return tap_count * p.out_channels / p.groups;
    case ConvolutionPass::gradient_to_kernel:
      return p.batch * p.out_height() * p.out_width();
  }
  __builtin_unreachable();
}

}  // namespace

// A plain sum loses digits with the root of its length, tiles lose what their transforms do: where
// the two meet was measured with bench_ops accuracy (docs/performance.md).
bool convolution_is_exact(const Convolution& problem, ConvolutionPass pass,
                          ConvolutionMethod method) {
  switch (method) {
    case ConvolutionMethod::winograd_4x4:
      return terms(problem, pass) >= 3072;
    case ConvolutionMethod::winograd_2x4:
      return terms(problem, pass) >= 576;
    case ConvolutionMethod::winograd_2x2:
    case ConvolutionMethod::direct:
    case ConvolutionMethod::matrix:
      return true;
  }
  __builtin_unreachable();
}

double convolution_operations(const Convolution& problem) { return 2 * direct_sum(problem); }

double convolution_cost(const Convolution& problem, ConvolutionPass pass,
                        ConvolutionMethod method) {
  switch (method) {
    case ConvolutionMethod::winograd_4x4:
      return winograd_cost(problem, pass, {4, 4});
    case ConvolutionMethod::winograd_2x4:
      return winograd_cost(problem, pass, {2, 4});
    case ConvolutionMethod::winograd_2x2:
      return winograd_cost(problem, pass, {2, 2});
    case ConvolutionMethod::direct:  // made for the few problems that it takes
      return 0;
    case ConvolutionMethod::matrix:
      return direct_sum(problem);
  }
  __builtin_unreachable();
}

}  // namespace hornbeam
