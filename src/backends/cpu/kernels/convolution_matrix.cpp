// Convolution by matrix products. Windows are gathered, a cache-sized piece at a time, into the
// rows of a matrix that is multiplied with the packed kernel; a 1x1 kernel with stride 1 needs no
// gathering.
#include <algorithm>

#include "backends/cpu/kernels/convolution_methods.h"
#include "backends/cpu/kernels/convolution_windows.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/gemm_block.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

bool is_pointwise(const Convolution& p) {
  return p.kernel_height == 1 && p.kernel_width == 1 && p.stride_height == 1 &&
         p.stride_width == 1 && p.padding_top == 0 && p.padding_bottom == 0 &&
         p.padding_left == 0 && p.padding_right == 0;
}

int64_t group_in(const Convolution& p) { return p.in_channels / p.groups; }
int64_t group_out(const Convolution& p) { return p.out_channels / p.groups; }

// ---- pointwise: the picture is the matrix; groups are a batch ----

Gemm pointwise_gemm(const Convolution& p, ConvolutionPass pass) {
  const int64_t pixels = p.batch * p.height * p.width, in = group_in(p), out = group_out(p);
  Gemm g{.batch = p.groups};
  if (pass == ConvolutionPass::forward) {
    g.rows = pixels, g.columns = out, g.depth = in;
    g.leading_a = p.in_channels, g.leading_b = p.out_channels, g.leading_c = p.out_channels;
    g.batch_stride_a = in, g.batch_stride_b = out, g.batch_stride_c = out;
  } else if (pass == ConvolutionPass::gradient_to_input) {
    g.rows = pixels, g.columns = in, g.depth = out, g.transpose_b = true;
    g.leading_a = p.out_channels, g.leading_b = p.out_channels, g.leading_c = p.in_channels;
    g.batch_stride_a = out, g.batch_stride_b = out, g.batch_stride_c = in;
  } else {
    g.rows = in, g.columns = out, g.depth = pixels, g.transpose_a = true;
    g.leading_a = p.in_channels, g.leading_b = p.out_channels, g.leading_c = p.out_channels;
    g.batch_stride_a = in, g.batch_stride_b = out, g.batch_stride_c = out;
  }
  return g;
}

// Enough for the groups as a batch and for one by one.
int64_t pointwise_workspace(const Convolution& p, ConvolutionPass pass, int threads) {
  Gemm g = pointwise_gemm(p, pass);
  const int64_t together = gemm_workspace(g, threads);
  g.batch = 1;
  return std::max(together, gemm_workspace(g, threads));
}

// A bias belongs to a group, and the batch of gemm shares one: groups with a bias go one by one.
void pointwise_forward(const Convolution& p, const float* input, const float* kernel,
                       const float* bias, float* output, void* workspace, ThreadPool& threads) {
  Gemm g = pointwise_gemm(p, ConvolutionPass::forward);
  if (!bias || p.groups == 1) return gemm(g, input, kernel, bias, output, workspace, threads);
  g.batch = 1;
  for (int64_t group = 0; group < p.groups; ++group)
    gemm(g, input + group * g.batch_stride_a, kernel + group * g.batch_stride_b,
         bias + group * group_out(p), output + group * g.batch_stride_c, workspace, threads);
}

// ---- windows times kernel: forward, and each stride class of the gradient to the input ----

// Element (tap, channel; column) of the matrix that windows are multiplied with, for one group.
struct KernelMatrix {
  const float* kernel;
  int64_t kernel_width;
  int64_t tap_floats;  // in_channels / groups * out_channels
  int64_t row_stride, column_stride;

  MatrixView tap(int64_t y, int64_t x) const {
    return {kernel + (y * kernel_width + x) * tap_floats, row_stride, column_stride};
  }
};

KernelMatrix forward_kernel(const Convolution& p, const float* kernel, int64_t group) {
  return {kernel + group * group_out(p), p.kernel_width, group_in(p) * p.out_channels,
          p.out_channels, 1};
}

KernelMatrix backward_kernel(const Convolution& p, const float* kernel, int64_t group) {
  return {kernel + group * group_out(p), p.kernel_width, group_in(p) * p.out_channels, 1,
          p.out_channels};
}

struct WindowProduct {
  WindowProduct(const Windows& seen, int64_t out_columns, int64_t group_count, int threads,
                void* workspace = nullptr)
      : windows(seen), columns(out_columns), groups(group_count) {
    const MicroTile micro = micro_tile();
    depth = depth_block(windows.depth());
    padded = round_up(columns, micro.columns);
    rows = 16 * micro.rows;
    while (rows > 2 * micro.rows && divide_up(windows.rows(), rows) * groups < 16) rows /= 2;
    WorkspaceCutter cutter(workspace);
    packed = cutter.take(groups * group_floats());
    scratch = cutter.take(threads * thread_floats());
    bytes = cutter.bytes();
  }

  int64_t group_floats() const { return round_up(windows.depth() * padded, 16); }
  int64_t gathered_floats() const { return round_up(rows * depth, 16); }
  int64_t thread_floats() const {
    return gathered_floats() + (scattered() ? round_up(rows * columns, 16) : 0);
  }
  // Whether destination pixels are not simply those of the grid, in its order.
  bool scattered() const { return windows.y.step != 1 || windows.x.step != 1; }

  Windows windows;
  int64_t columns;
  int64_t groups;
  int64_t depth;   // gathered at a time
  int64_t padded;  // columns as packed
  int64_t rows;    // a piece of work
  float* packed;
  float* scratch;
  int64_t bytes;
};

// Packs depths [begin, begin + size): the panels of each block of depth stand together.
void pack_kernel(const WindowProduct& w, const KernelMatrix& kernel, int64_t begin, int64_t size,
                 float* packed) {
  const int64_t channels = w.windows.channels, width = micro_tile().columns;
  for (int64_t k = begin; k < begin + size;) {
    const int64_t tap = k / channels, channel = k % channels;
    const int64_t count = std::min(begin + size - k, channels - channel);
    const MatrixView view = kernel.tap(w.windows.y.kernel(tap / w.windows.x.taps),
                                       w.windows.x.kernel(tap % w.windows.x.taps));
    pack_columns(view.at(channel, 0), count, w.columns, packed + (k - begin) * width, size * width);
    k += count;
  }
}

// Copies the pixels of a piece to where they belong in the destination.
void scatter_rows(const WindowProduct& w, int64_t row, int64_t rows, const float* from, float* to,
                  int64_t to_channels) {
  const WindowAxis &y = w.windows.y, &x = w.windows.x;
  for (int64_t i = row; i < row + rows; ++i, from += w.columns) {
    const int64_t line = y.first + i / x.size % y.size * y.step;
    const int64_t column = x.first + i % x.size * x.step;
    const int64_t picture = i / (x.size * y.size);
    float* pixel =
        to + ((picture * y.destination_size + line) * x.destination_size + column) * to_channels;
    std::copy(from, from + w.columns, pixel);
  }
}

// One piece: rows [row, row + rows) of one group. `to` is the group's first channel.
void multiply_windows(const WindowProduct& w, const float* source, const float* packed,
                      const float* bias, int64_t row, float* to, int64_t to_channels,
                      float* scratch) {
  const int64_t rows = std::min(w.rows, w.windows.rows() - row), depth = w.windows.depth();
  float* scattered = scratch + w.gathered_floats();
  for (int64_t k = 0; k == 0 || k < depth; k += w.depth) {
    const int64_t size = std::min(w.depth, depth - k);
    gather_windows(w.windows, source, row, rows, k, k + size, scratch, w.depth);
    multiply_block({.rows = rows,
                    .columns = w.columns,
                    .depth = size,
                    .a = {scratch, w.depth, 1},
                    .b = packed + k * w.padded,
                    .panel_stride = size * micro_tile().columns,
                    .c = w.scattered() ? scattered : to + row * to_channels,
                    .c_row_stride = w.scattered() ? w.columns : to_channels,
                    .accumulate = k > 0,
                    .bias = k > 0 ? nullptr : bias});
  }
  if (w.scattered()) scatter_rows(w, row, rows, scattered, to, to_channels);
}

struct WindowOperands {
  const float* source;
  const float* bias;
  float* destination;
  int64_t destination_channels;
};

template <class KernelOfGroup>
void run_windows(const WindowProduct& w, KernelOfGroup&& kernel_of_group, const WindowOperands& on,
                 ThreadPool& threads) {
  const int64_t blocks = divide_up(w.windows.depth(), w.depth);
  threads.run(w.groups * blocks, [&](int64_t piece, int) {
    const int64_t group = piece / blocks, k = piece % blocks * w.depth;
    pack_kernel(w, kernel_of_group(group), k, std::min(w.depth, w.windows.depth() - k),
                w.packed + group * w.group_floats() + k * w.padded);
  });
  const int64_t row_pieces = divide_up(w.windows.rows(), w.rows);
  threads.run(w.groups * row_pieces, [&](int64_t piece, int thread) {
    const int64_t group = piece / row_pieces, row = piece % row_pieces * w.rows;
    multiply_windows(w, on.source + group * w.windows.channels, w.packed + group * w.group_floats(),
                     on.bias ? on.bias + group * w.columns : nullptr, row,
                     on.destination + group * w.columns, on.destination_channels,
                     w.scratch + thread * w.thread_floats());
  });
}

WindowProduct forward_product(const Convolution& p, int threads, void* workspace = nullptr) {
  return {forward_windows(p), group_out(p), p.groups, threads, workspace};
}

// Calls work(WindowProduct) for every class of input pixels.
template <class Work>
void for_each_class(const Convolution& p, int threads, void* workspace, Work&& work) {
  for (int64_t y = 0; y < std::min(p.stride_height, p.height); ++y)
    for (int64_t x = 0; x < std::min(p.stride_width, p.width); ++x)
      work(WindowProduct(backward_windows(p, y, x), group_in(p), p.groups, threads, workspace));
}

// ---- gradient to the kernel: windows, transposed, times the gradient of the output ----

// C tiles that stay in the second-level cache while all pixels pass; few tiles are multiplied by
// cutting the pixels into ranges, whose partial results are summed in a fixed tree.
struct KernelGradient {
  KernelGradient(const Convolution& p, int threads, void* workspace = nullptr)
      : windows(forward_windows(p)),
        columns(group_out(p)),
        tile_depth(std::min<int64_t>(windows.depth(), 192)),
        tile_columns(std::min<int64_t>(columns, 256)),
        depth_tiles(divide_up(windows.depth(), tile_depth)),
        column_tiles(divide_up(columns, tile_columns)),
        area(round_up(windows.depth() * columns * p.groups, 16)) {
    const int64_t tiles = depth_tiles * column_tiles * p.groups;
    const int64_t wanted =
        std::clamp<int64_t>(32 / tiles, 1, divide_up(windows.rows(), 4 * pixels));
    range = round_up(divide_up(windows.rows(), wanted), pixels);
    ranges = divide_up(windows.rows(), range);
    WorkspaceCutter cutter(workspace);
    partial = cutter.take(ranges > 1 ? ranges * area : 0);
    scratch = cutter.take(threads * thread_floats());
    bytes = cutter.bytes();
  }

  static constexpr int64_t pixels = 128;  // gathered at a time
  int64_t gathered_floats() const { return round_up(pixels * tile_depth, 16); }
  int64_t thread_floats() const {
    return gathered_floats() + pixels * round_up(tile_columns, micro_tile().columns);
  }

  Windows windows;
  int64_t columns;
  int64_t tile_depth, tile_columns;
  int64_t depth_tiles, column_tiles;
  int64_t area;
  int64_t range, ranges;
  float* partial;
  float* scratch;
  int64_t bytes;
};

// One tile of the kernel's gradient, (tap, channel) from `k` and output channels from `n`, over the
// pixels of one range.
struct GradientTile {
  int64_t group, k, n, range;
};

void multiply_gradient_tile(const Convolution& p, const KernelGradient& plan,
                            const GradientTile& tile, const float* input,
                            const float* gradient_output, float* result, float* scratch) {
  const int64_t depth = std::min(plan.tile_depth, plan.windows.depth() - tile.k);
  const int64_t columns = std::min(plan.tile_columns, plan.columns - tile.n);
  const int64_t column = tile.group * plan.columns + tile.n;
  const int64_t begin = tile.range * plan.range;
  const int64_t end = std::min(plan.windows.rows(), begin + plan.range);
  float* packed = scratch + plan.gathered_floats();
  for (int64_t row = begin; row < end; row += plan.pixels) {
    const int64_t rows = std::min(plan.pixels, end - row);
    gather_windows(plan.windows, input + tile.group * plan.windows.channels, row, rows, tile.k,
                   tile.k + depth, scratch, depth);
    pack_columns({gradient_output + row * p.out_channels + column, p.out_channels, 1}, rows,
                 columns, packed, rows * micro_tile().columns);
    multiply_block({.rows = depth,
                    .columns = columns,
                    .depth = rows,
                    .a = {scratch, 1, depth},
                    .b = packed,
                    .panel_stride = rows * micro_tile().columns,
                    .c = result + tile.k * p.out_channels + column,
                    .c_row_stride = p.out_channels,
                    .accumulate = row > begin});
  }
}

void sum_ranges(const KernelGradient& plan, int64_t begin, int64_t end, float* result) {
  for (int64_t step = 1; step < plan.ranges; step *= 2)
    for (int64_t to = 0; to + step < plan.ranges; to += 2 * step) {
      float* sum = plan.partial + to * plan.area;
      const float* other = sum + step * plan.area;
      for (int64_t i = begin; i < end; ++i) sum[i] += other[i];
    }
  std::copy(plan.partial + begin, plan.partial + end, result + begin);
}

void kernel_gradient(const Convolution& p, const float* input, const float* gradient_output,
                     float* gradient_kernel, void* workspace, ThreadPool& threads) {
  const KernelGradient plan(p, threads.threads(), workspace);
  const int64_t tiles = plan.depth_tiles * plan.column_tiles;
  threads.run(plan.ranges * p.groups * tiles, [&](int64_t piece, int thread) {
    const GradientTile tile{.group = piece / tiles % p.groups,
                            .k = piece / plan.column_tiles % plan.depth_tiles * plan.tile_depth,
                            .n = piece % plan.column_tiles * plan.tile_columns,
                            .range = piece / (tiles * p.groups)};
    float* result = plan.ranges > 1 ? plan.partial + tile.range * plan.area : gradient_kernel;
    multiply_gradient_tile(p, plan, tile, input, gradient_output, result,
                           plan.scratch + thread * plan.thread_floats());
  });
  if (plan.ranges == 1) return;
  constexpr int64_t piece_floats = 4096;
  const int64_t size = plan.windows.depth() * p.out_channels;
  threads.run(divide_up(size, piece_floats), [&](int64_t piece, int) {
    sum_ranges(plan, piece * piece_floats, std::min(size, (piece + 1) * piece_floats),
               gradient_kernel);
  });
}

// ---- the method ----

std::string refusal(const Convolution&, ConvolutionPass) { return {}; }

int64_t workspace_bytes(const Convolution& p, ConvolutionPass pass, int threads) {
  if (is_pointwise(p)) return pointwise_workspace(p, pass, threads);
  if (pass == ConvolutionPass::forward) return forward_product(p, threads).bytes;
  if (pass == ConvolutionPass::gradient_to_kernel) return KernelGradient(p, threads).bytes;
  int64_t bytes = 0;
  for_each_class(p, threads, nullptr,
                 [&](const WindowProduct& w) { bytes = std::max(bytes, w.bytes); });
  return bytes;
}

void forward(const Convolution& p, const float* input, const float* kernel, const float* bias,
             float* output, void* workspace, ThreadPool& threads) {
  if (is_pointwise(p)) return pointwise_forward(p, input, kernel, bias, output, workspace, threads);
  run_windows(
      forward_product(p, threads.threads(), workspace),
      [&](int64_t group) { return forward_kernel(p, kernel, group); },
      {input, bias, output, p.out_channels}, threads);
}

void gradient_to_input(const Convolution& p, const float* gradient_output, const float* kernel,
                       float* gradient_input, void* workspace, ThreadPool& threads) {
  if (is_pointwise(p))
    return gemm(pointwise_gemm(p, ConvolutionPass::gradient_to_input), gradient_output, kernel,
                nullptr, gradient_input, workspace, threads);
  for_each_class(p, threads.threads(), workspace, [&](const WindowProduct& w) {
    run_windows(
        w, [&](int64_t group) { return backward_kernel(p, kernel, group); },
        {gradient_output, nullptr, gradient_input, p.in_channels}, threads);
  });
}

void gradient_to_kernel(const Convolution& p, const float* input, const float* gradient_output,
                        float* gradient_kernel, void* workspace, ThreadPool& threads) {
  if (is_pointwise(p))
    return gemm(pointwise_gemm(p, ConvolutionPass::gradient_to_kernel), input, gradient_output,
                nullptr, gradient_kernel, workspace, threads);
  kernel_gradient(p, input, gradient_output, gradient_kernel, workspace, threads);
}

}  // namespace

const ConvolutionImplementation matrix_convolution = {
    .refusal = refusal,
    .workspace = workspace_bytes,
    .forward = forward,
    .gradient_to_input = gradient_to_input,
    .gradient_to_kernel = gradient_to_kernel,
};

}  // namespace hornbeam
