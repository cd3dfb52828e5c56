// Winograd's minimal filtering F(m×m, 3×3): the transforms between pictures, kernels and the domain
// in which a 3×3 convolution is a product at each of (m+2)² points.
//
// S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms
// for Convolutional Neural Networks, 2015 (the names B, G, A). For m×m outputs y of a tile d of
// (m+2)×(m+2) inputs and a kernel g:
//
//   y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//
// ⊙ multiplies point by point; with channels it becomes one matrix product for each point. What
// follows from it by transposing: the gradient of the kernel is Gᵀ [(Bᵀ d B) ⊙ (A dy Aᵀ)] G, and
// the gradient of the input is a convolution of dy with the kernel turned by 180 degrees.
//
// m = 2 takes the points 0, ±1, ∞: no less accurate than direct sums, 2.25 times fewer products.
// m = 4 takes 0, ±3/4, ±3/2, ∞: 4 times fewer products. These points lose half as many digits as
// the textbook's 0, ±1, ±2, ∞ (relative L2 error about 1e-6 to 2e-6; direct sums have 0.5 to 1).
#pragma once

#include <cstdint>

namespace hornbeam {

inline constexpr int64_t winograd_kernel = 3;  // taps on an axis
inline constexpr int64_t winograd_points(int64_t outputs) { return outputs + winograd_kernel - 1; }

enum class WinogradStep {
  input,            // Bᵀ d B: points² cells to points²
  kernel,           // G g Gᵀ: 3² to points²
  output,           // Aᵀ m A: points² to m²
  output_gradient,  // A dy Aᵀ: m² to points²
  kernel_gradient,  // Gᵀ u G: points² to 3²
};

// Transforms `channels` neighbouring tiles at once. A cell is a pointer to the channels' values;
// cells stand row after row. Where the domain is read or written, cells are filled up to a multiple
// of winograd_lanes() channels (with zeros when written); elsewhere only `channels` are touched.
struct WinogradCells {
  const float* const* from;
  float* const* to;
  int64_t channels;
};

// outputs: m, 2 or 4.
void winograd_transform(int64_t outputs, WinogradStep step, const WinogradCells& cells);

int64_t winograd_lanes();  // of the instruction set in use

}  // namespace hornbeam
