// Two-dimensional convolution of float32 pictures and its two gradients.
//
// Pictures are (batch, height, width, channels); kernels are (kernel_height, kernel_width,
// in_channels / groups, out_channels), output channel o belonging to group o / (out_channels /
// groups). Nothing is allocated, and the bits do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/threads.h"

namespace hornbeam {

struct Convolution {
  int64_t batch = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t in_channels = 0;
  int64_t kernel_height = 1;
  int64_t kernel_width = 1;
  int64_t out_channels = 0;
  int64_t stride_height = 1;
  int64_t stride_width = 1;
  int64_t padding_top = 0;
  int64_t padding_bottom = 0;
  int64_t padding_left = 0;
  int64_t padding_right = 0;
  int64_t dilation_height = 1;
  int64_t dilation_width = 1;
  int64_t groups = 1;

  int64_t out_height() const;
  int64_t out_width() const;
};

enum class ConvolutionPass { forward, gradient_to_input, gradient_to_kernel };

// How it is done:
// - winograd_4x4, _2x4, _2x2: tiles of that many outputs by fewer multiplications (3x3 kernels,
//   stride 1; see winograd.h for what they lose or gain in accuracy);
// - direct: channel by channel (depthwise);
// - matrix: windows gathered into matrix products; does everything.
enum class ConvolutionMethod { winograd_4x4, winograd_2x4, winograd_2x2, direct, matrix };
inline constexpr ConvolutionMethod convolution_methods[] = {
    ConvolutionMethod::winograd_4x4, ConvolutionMethod::winograd_2x4,
    ConvolutionMethod::winograd_2x2, ConvolutionMethod::direct, ConvolutionMethod::matrix};

std::string_view name_of(ConvolutionMethod method);

// Empty if the method does this pass, else the reason why not, for people.
std::string convolution_refusal(const Convolution& problem, ConvolutionPass pass,
                                ConvolutionMethod method);

// Multiplications and additions as its definition has them, whatever the pass and the method.
double convolution_operations(const Convolution& problem);

// Whether the method is no less exact than plain sums in float32, one product added to the other.
bool convolution_is_exact(const Convolution& problem, ConvolutionPass pass,
                          ConvolutionMethod method);

// The time it is expected to take, in multiply-adds of a matrix product.
double convolution_cost(const Convolution& problem, ConvolutionPass pass, ConvolutionMethod method);

// Bytes needed beside the operands; the workspace is 64-byte aligned.
int64_t convolution_workspace(const Convolution& problem, ConvolutionPass pass,
                              ConvolutionMethod method, int threads);

// output = input * kernel + bias (out_channels values, or null).
void convolution_forward(const Convolution& problem, ConvolutionMethod method, const float* input,
                         const float* kernel, const float* bias, float* output, void* workspace,
                         ThreadPool& threads);

void convolution_gradient_to_input(const Convolution& problem, ConvolutionMethod method,
                                   const float* gradient_output, const float* kernel,
                                   float* gradient_input, void* workspace, ThreadPool& threads);

void convolution_gradient_to_kernel(const Convolution& problem, ConvolutionMethod method,
                                    const float* input, const float* gradient_output,
                                    float* gradient_kernel, void* workspace, ThreadPool& threads);

}  // namespace hornbeam
