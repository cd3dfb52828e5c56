// Depthwise convolution: each channel with its own kernel, channels side by side in vectors.
#include <algorithm>

#include "backends/cpu/kernels/convolution_methods.h"
#include "backends/cpu/kernels/convolution_windows.h"
#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/convolution_direct.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef HORNBEAM_CONVOLUTION_DIRECT_TYPES
#define HORNBEAM_CONVOLUTION_DIRECT_TYPES
namespace hornbeam {

struct DepthwiseOperands {
  const float* source;
  const float* kernel;
  const float* bias;
  float* destination;
  int64_t kernel_width;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool inside(int64_t index, int64_t size) { return index >= 0 && index < size; }

// The channels that one vector holds, at one pixel. `source` is the picture at the first of them.
template <class D>
HWY_INLINE void convolve_pixel(D d, const Windows& w, const DepthwiseOperands& on,
                               const float* picture, int64_t y, int64_t x, int64_t channel,
                               float* to) {
  const int64_t channels = w.source_channels;
  auto sum = on.bias ? hn::LoadU(d, on.bias + channel) : hn::Zero(d);
  for (int64_t ty = 0; ty < w.y.taps; ++ty) {
    const int64_t line = w.y.source(y, ty);
    if (!inside(line, w.y.source_size)) continue;
    for (int64_t tx = 0; tx < w.x.taps; ++tx) {
      const int64_t column = w.x.source(x, tx);
      if (!inside(column, w.x.source_size)) continue;
      const int64_t tap = w.y.kernel(ty) * on.kernel_width + w.x.kernel(tx);
      const auto value =
          hn::LoadU(d, picture + (line * w.x.source_size + column) * channels + channel);
      sum = hn::MulAdd(value, hn::LoadU(d, on.kernel + tap * channels + channel), sum);
    }
  }
  hn::StoreU(sum, d, to + channel);
}

// One line of the grid: line `row` of batch * y.size.
void convolve_line_vector(const Windows& w, const DepthwiseOperands& on, int64_t row) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide)), channels = w.source_channels;
  const int64_t image = row / w.y.size, y = row % w.y.size;
  const float* picture = on.source + image * w.source_floats_per_picture();
  float* line = on.destination + (image * w.y.destination_size + w.y.first + y * w.y.step) *
                                     w.x.destination_size * channels;
  for (int64_t x = 0; x < w.x.size; ++x) {
    float* to = line + (w.x.first + x * w.x.step) * channels;
    int64_t c = 0;
    for (; c + lanes <= channels; c += lanes) convolve_pixel(wide, w, on, picture, y, x, c, to);
    for (; c < channels; ++c) convolve_pixel(one, w, on, picture, y, x, c, to);
  }
}

// Adds, for one tap, the products along one line of the grid.
template <class D>
HWY_INLINE void correlate(D d, const Windows& w, const float* line, const float* gradient,
                          int64_t tap, float* sum) {
  auto total = hn::LoadU(d, sum);
  for (int64_t x = 0; x < w.x.size; ++x) {
    const int64_t column = w.x.source(x, tap);
    if (!inside(column, w.x.source_size)) continue;
    total = hn::MulAdd(hn::LoadU(d, line + column * w.source_channels),
                       hn::LoadU(d, gradient + x * w.source_channels), total);
  }
  hn::StoreU(total, d, sum);
}

void correlate_line_vector(const Windows& w, const float* source, const float* gradient,
                           int64_t row, float* sums) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide)), channels = w.source_channels;
  const float* picture = source + row / w.y.size * w.source_floats_per_picture();
  const float* of_row = gradient + row * w.x.size * channels;
  for (int64_t ty = 0; ty < w.y.taps; ++ty) {
    const int64_t y = w.y.source(row % w.y.size, ty);
    if (!inside(y, w.y.source_size)) continue;
    const float* line = picture + y * w.x.source_size * channels;
    for (int64_t tx = 0; tx < w.x.taps; ++tx) {
      float* sum = sums + (ty * w.x.taps + tx) * channels;
      int64_t c = 0;
      for (; c + lanes <= channels; c += lanes)
        correlate(wide, w, line + c, of_row + c, tx, sum + c);
      for (; c < channels; ++c) correlate(one, w, line + c, of_row + c, tx, sum + c);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(convolve_line_vector);
HWY_EXPORT(correlate_line_vector);

namespace {

void convolve(const Windows& w, const DepthwiseOperands& on, ThreadPool& threads) {
  threads.run(w.batch * w.y.size, [&](int64_t row, int) {
    HWY_DYNAMIC_DISPATCH(convolve_line_vector)(w, on, row);
  });
}

std::string refusal(const Convolution& p, ConvolutionPass) {
  if (p.groups != p.in_channels || p.groups != p.out_channels)
    return "direct convolution is for kernels with one channel in and one out for each group";
  return {};
}

// Sums over pixels are cut into at most so many ranges of lines, summed in a fixed tree.
constexpr int64_t most_ranges = 32;

struct Ranges {
  explicit Ranges(const Convolution& p)
      : lines(p.batch * p.out_height()),
        length(divide_up(lines, most_ranges)),
        count(divide_up(lines, length)),
        floats(round_up(p.kernel_height * p.kernel_width * p.in_channels, 16)) {}
  int64_t lines, length, count, floats;
};

int64_t workspace_bytes(const Convolution& p, ConvolutionPass pass, int) {
  if (pass != ConvolutionPass::gradient_to_kernel) return 0;
  const Ranges ranges(p);
  return ranges.count * ranges.floats * static_cast<int64_t>(sizeof(float));
}

void forward(const Convolution& p, const float* input, const float* kernel, const float* bias,
             float* output, void*, ThreadPool& threads) {
  convolve(forward_windows(p), {input, kernel, bias, output, p.kernel_width}, threads);
}

void gradient_to_input(const Convolution& p, const float* gradient_output, const float* kernel,
                       float* gradient_input, void*, ThreadPool& threads) {
  for (int64_t y = 0; y < std::min(p.stride_height, p.height); ++y)
    for (int64_t x = 0; x < std::min(p.stride_width, p.width); ++x)
      convolve(backward_windows(p, y, x),
               {gradient_output, kernel, nullptr, gradient_input, p.kernel_width}, threads);
}

void gradient_to_kernel(const Convolution& p, const float* input, const float* gradient_output,
                        float* gradient_kernel, void* workspace, ThreadPool& threads) {
  const Ranges ranges(p);
  const Windows windows = forward_windows(p);
  float* sums = static_cast<float*>(workspace);
  threads.run(ranges.count, [&](int64_t range, int) {
    float* partial = sums + range * ranges.floats;
    std::fill_n(partial, ranges.floats, 0.0f);
    const int64_t end = std::min(ranges.lines, (range + 1) * ranges.length);
    for (int64_t line = range * ranges.length; line < end; ++line)
      HWY_DYNAMIC_DISPATCH(correlate_line_vector)(windows, input, gradient_output, line, partial);
  });
  for (int64_t step = 1; step < ranges.count; step *= 2)
    for (int64_t to = 0; to + step < ranges.count; to += 2 * step)
      for (int64_t i = 0; i < ranges.floats; ++i)
        sums[to * ranges.floats + i] += sums[(to + step) * ranges.floats + i];
  std::copy_n(sums, windows.y.taps * windows.x.taps * p.in_channels, gradient_kernel);
}

}  // namespace

const ConvolutionImplementation direct_convolution = {
    .refusal = refusal,
    .workspace = workspace_bytes,
    .forward = forward,
    .gradient_to_input = gradient_to_input,
    .gradient_to_kernel = gradient_to_kernel,
};

}  // namespace hornbeam
#endif  // HWY_ONCE
