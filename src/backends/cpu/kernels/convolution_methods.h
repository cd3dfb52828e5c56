// What each method of convolution.h offers; convolution.cpp chooses among them.
#pragma once

#include <cstdint>
#include <string>

#include "backends/cpu/kernels/convolution.h"

namespace hornbeam {

struct ConvolutionImplementation {
  std::string (*refusal)(const Convolution&, ConvolutionPass);
  int64_t (*workspace)(const Convolution&, ConvolutionPass, int threads);
  void (*forward)(const Convolution&, const float* input, const float* kernel, const float* bias,
                  float* output, void* workspace, ThreadPool&);
  void (*gradient_to_input)(const Convolution&, const float* gradient_output, const float* kernel,
                            float* gradient_input, void* workspace, ThreadPool&);
  void (*gradient_to_kernel)(const Convolution&, const float* input, const float* gradient_output,
                             float* gradient_kernel, void* workspace, ThreadPool&);
};

extern const ConvolutionImplementation winograd_4x4_convolution;
extern const ConvolutionImplementation winograd_2x4_convolution;
extern const ConvolutionImplementation winograd_2x2_convolution;
extern const ConvolutionImplementation matrix_convolution;
extern const ConvolutionImplementation direct_convolution;

}  // namespace hornbeam
