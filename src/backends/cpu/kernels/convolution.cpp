#include "backends/cpu/kernels/convolution.h"

#include <algorithm>

#include "backends/cpu/kernels/convolution_methods.h"

namespace hornbeam {
namespace {

int64_t out_size(int64_t in, int64_t padding, int64_t kernel, int64_t dilation, int64_t stride) {
  const int64_t room = in + padding - ((kernel - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

const ConvolutionImplementation& implementation(ConvolutionMethod method) {
  switch (method) {
    case ConvolutionMethod::winograd_4x4:
      return winograd_4x4_convolution;
    case ConvolutionMethod::winograd_2x4:
      return winograd_2x4_convolution;
    case ConvolutionMethod::winograd_2x2:
      return winograd_2x2_convolution;
    case ConvolutionMethod::direct:
      return direct_convolution;
    case ConvolutionMethod::matrix:
      return matrix_convolution;
  }
  __builtin_unreachable();
}

int64_t in_floats(const Convolution& p) { return p.batch * p.height * p.width * p.in_channels; }

int64_t out_floats(const Convolution& p) {
  return p.batch * p.out_height() * p.out_width() * p.out_channels;
}

int64_t kernel_floats(const Convolution& p) {
  return p.kernel_height * p.kernel_width * p.in_channels / p.groups * p.out_channels;
}

// Nothing is multiplied: every result is zero (or the bias).
bool is_empty(const Convolution& p) {
  return in_floats(p) == 0 || out_floats(p) == 0 || kernel_floats(p) == 0;
}

void fill_with_bias(const Convolution& p, const float* bias, float* output) {
  for (int64_t i = 0; i < out_floats(p); ++i) output[i] = bias ? bias[i % p.out_channels] : 0.0f;
}

std::string malformed(const Convolution& p) {
  if (p.groups < 1 || p.in_channels % p.groups != 0 || p.out_channels % p.groups != 0)
    return "the channels cannot be cut into the groups";
  if (p.stride_height < 1 || p.stride_width < 1) return "strides must be at least 1";
  if (p.dilation_height < 1 || p.dilation_width < 1) return "dilations must be at least 1";
  return {};
}

}  // namespace

int64_t Convolution::out_height() const {
  return out_size(height, padding_top + padding_bottom, kernel_height, dilation_height,
                  stride_height);
}

int64_t Convolution::out_width() const {
  return out_size(width, padding_left + padding_right, kernel_width, dilation_width, stride_width);
}

std::string_view name_of(ConvolutionMethod method) {
  switch (method) {
    case ConvolutionMethod::winograd_4x4:
      return "winograd 4x4";
    case ConvolutionMethod::winograd_2x4:
      return "winograd 2x4";
    case ConvolutionMethod::winograd_2x2:
      return "winograd 2x2";
    case ConvolutionMethod::direct:
      return "direct";
    case ConvolutionMethod::matrix:
      return "matrix";
  }
  __builtin_unreachable();
}

std::string convolution_refusal(const Convolution& problem, ConvolutionPass pass,
                                ConvolutionMethod method) {
  const std::string reason = malformed(problem);
  return reason.empty() ? implementation(method).refusal(problem, pass) : reason;
}

int64_t convolution_workspace(const Convolution& problem, ConvolutionPass pass,
                              ConvolutionMethod method, int threads) {
  return is_empty(problem) ? 0 : implementation(method).workspace(problem, pass, threads);
}

void convolution_forward(const Convolution& problem, ConvolutionMethod method, const float* input,
                         const float* kernel, const float* bias, float* output, void* workspace,
                         ThreadPool& threads) {
  if (is_empty(problem)) return fill_with_bias(problem, bias, output);
  implementation(method).forward(problem, input, kernel, bias, output, workspace, threads);
}

void convolution_gradient_to_input(const Convolution& problem, ConvolutionMethod method,
                                   const float* gradient_output, const float* kernel,
                                   float* gradient_input, void* workspace, ThreadPool& threads) {
  if (is_empty(problem)) {
    std::fill_n(gradient_input, in_floats(problem), 0.0f);
    return;
  }
  implementation(method).gradient_to_input(problem, gradient_output, kernel, gradient_input,
                                           workspace, threads);
}

void convolution_gradient_to_kernel(const Convolution& problem, ConvolutionMethod method,
                                    const float* input, const float* gradient_output,
                                    float* gradient_kernel, void* workspace, ThreadPool& threads) {
  if (is_empty(problem)) {
    std::fill_n(gradient_kernel, kernel_floats(problem), 0.0f);
    return;
  }
  implementation(method).gradient_to_kernel(problem, input, gradient_output, gradient_kernel,
                                            workspace, threads);
}

}  // namespace hornbeam
