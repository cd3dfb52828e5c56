// Winograd's minimal filtering F(m×n, 3×3): the transforms between pictures, kernels and the domain
// in which a 3×3 convolution is a product at each of (m+2)·(n+2) points.
//
// S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms
// for Convolutional Neural Networks, 2015 (the names B, G, A). For m×n outputs y of a tile d of
// (m+2)×(n+2) inputs and a kernel g, with matrices for m on the left and for n on the right:
//
//   y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//
// ⊙ multiplies point by point; with channels it becomes one matrix product for each point. What
// follows from it by transposing: the gradient of the kernel is Gᵀ [(Bᵀ d B) ⊙ (A dy Aᵀ)] G, and
// the gradient of the input is a convolution of dy with the kernel turned by 180 degrees.
//
// On an axis with two outputs the points are 0, ±1, ∞, on one with four 0, ±3/4, ±3/2, ∞, which
// lose half as many digits as the textbook's 0, ±1, ±2, ∞. Tiles of 2×2, 2×4 and 4×4 outputs
// need 2.25, 3 and 4 times fewer products than direct sums, and lose more digits in this order
// (docs/performance.md).
#pragma once

#include <cstdint>

namespace hornbeam {

inline constexpr int64_t winograd_kernel = 3;  // taps on an axis

// The outputs of a tile: 2×2, 2×4 or 4×4.
struct WinogradTile {
  int64_t height, width;

  constexpr int64_t outputs() const { return height * width; }
  constexpr int64_t input_height() const { return height + winograd_kernel - 1; }
  constexpr int64_t input_width() const { return width + winograd_kernel - 1; }
  constexpr int64_t points() const { return input_height() * input_width(); }
};

enum class WinogradStep {
  input,            // Bᵀ d B: cells of input to points
  kernel,           // G g Gᵀ: 3² taps to points
  output,           // Aᵀ m A: points to cells of output
  output_gradient,  // A dy Aᵀ: cells of output to points
  kernel_gradient,  // Gᵀ u G: points to 3² taps
};

// Transforms `channels` neighbouring tiles at once. A cell is a pointer to the channels' values;
// cells stand row after row. Where the domain is read or written, cells are filled up to a multiple
// of winograd_lanes() channels (with zeros when written); elsewhere only `channels` are touched.
struct WinogradCells {
  const float* const* from;
  float* const* to;
  int64_t channels;
};

void winograd_transform(WinogradTile tile, WinogradStep step, const WinogradCells& cells);

int64_t winograd_lanes();  // of the instruction set in use

}  // namespace hornbeam
