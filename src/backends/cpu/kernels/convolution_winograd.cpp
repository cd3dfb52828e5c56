// Convolution of 3×3 kernels by Winograd's transforms (winograd.h): pictures are cut into tiles of
// m×n outputs, and a chunk of tiles at a time is transformed, multiplied at each point and
// transformed back, while it is in the caches.
#include <algorithm>
#include <array>

#include "backends/cpu/kernels/convolution_methods.h"
#include "backends/cpu/kernels/gemm_block.h"
#include "backends/cpu/kernels/winograd.h"
#include "backends/cpu/kernels/workspace.h"

namespace hornbeam {
namespace {

// Products summed in one chain: the shorter, the more exact, and the slower (docs/performance.md).
constexpr int64_t chain_length(WinogradTile tile) { return tile.height == 2 ? 32 : 64; }

constexpr int64_t most_points = WinogradTile{4, 4}.points(),
                  taps = winograd_kernel * winograd_kernel;

struct Pictures {
  int64_t height, width, channels;
};

// The tiles of all pictures. Tile outputs are cells of `destination`, tile inputs are cells of
// `source` from `top` rows above and `left` columns before them.
struct TileGrid {
  TileGrid(WinogradTile tile_outputs, int64_t batch, const Pictures& from, const Pictures& to,
           int64_t padding_top, int64_t padding_left)
      : tile(tile_outputs),
        source(from),
        destination(to),
        top(padding_top),
        left(padding_left),
        rows(divide_up(to.height, tile.height)),
        columns(divide_up(to.width, tile.width)),
        count(batch * rows * columns) {}

  int64_t points() const { return tile.points(); }

  WinogradTile tile;
  Pictures source, destination;
  int64_t top, left;
  int64_t rows, columns;  // of a picture
  int64_t count;
};

TileGrid forward_grid(const Convolution& p, WinogradTile tile) {
  return {tile,
          p.batch,
          {p.height, p.width, p.in_channels},
          {p.out_height(), p.out_width(), p.out_channels},
          p.padding_top,
          p.padding_left};
}

TileGrid backward_grid(const Convolution& p, WinogradTile tile) {
  return {tile,
          p.batch,
          {p.out_height(), p.out_width(), p.out_channels},
          {p.height, p.width, p.in_channels},
          winograd_kernel - 1 - p.padding_top,
          winograd_kernel - 1 - p.padding_left};
}

// The height×width cells of a picture with the first at (y, x); those outside are `outside`.
template <class Float>
void list_cells(const Pictures& pictures, Float* picture, int64_t y, int64_t x, int64_t height,
                int64_t width, Float* outside, Float** cells) {
  for (int64_t i = y; i < y + height; ++i)
    for (int64_t j = x; j < x + width; ++j) {
      const bool inside = i >= 0 && i < pictures.height && j >= 0 && j < pictures.width;
      *cells++ = inside ? picture + (i * pictures.width + j) * pictures.channels : outside;
    }
}

template <class Float>
Float* picture_of(const TileGrid& grid, const Pictures& pictures, Float* first, int64_t tile) {
  const int64_t picture = tile / (grid.rows * grid.columns);
  return first + picture * pictures.height * pictures.width * pictures.channels;
}

void list_source(const TileGrid& grid, int64_t tile, const float* source, const float* zeros,
                 const float** cells) {
  const int64_t y = tile / grid.columns % grid.rows * grid.tile.height;
  const int64_t x = tile % grid.columns * grid.tile.width;
  list_cells(grid.source, picture_of(grid, grid.source, source, tile), y - grid.top, x - grid.left,
             grid.tile.input_height(), grid.tile.input_width(), zeros, cells);
}

template <class Float>
void list_destination(const TileGrid& grid, int64_t tile, Float* destination, Float* outside,
                      Float** cells) {
  const int64_t y = tile / grid.columns % grid.rows * grid.tile.height;
  const int64_t x = tile % grid.columns * grid.tile.width;
  list_cells(grid.destination, picture_of(grid, grid.destination, destination, tile), y, x,
             grid.tile.height, grid.tile.width, outside, cells);
}

template <class Float>
void list_planes(Float* first, int64_t stride, int64_t count, Float** cells) {
  for (int64_t i = 0; i < count; ++i) cells[i] = first + i * stride;
}

// Floats from the plane of one point to the next: an odd number of cache lines, or the planes would
// compete for the same places of the caches.
int64_t plane_stride(int64_t floats) {
  return round_up(floats, 16) / 16 % 2 ? round_up(floats, 16) : round_up(floats, 16) + 16;
}

// Cuts `count` tiles into an even number of chunks of at most `most`, nearly equal.
int64_t chunk_of(int64_t count, int64_t most) {
  const int64_t chunks = divide_up(count, most);
  return divide_up(count, chunks == 1 ? 1 : round_up(chunks, 2));
}

// ---- forward, and the gradient to the input ----

// The last cache should hold the tiles of a chunk, in both domains, for every thread.
constexpr int64_t chunk_bytes = int64_t{10} << 20;

struct Product {
  Product(const TileGrid& tile_grid, int threads, void* workspace = nullptr)
      : grid(tile_grid),
        depth(grid.source.channels),
        columns(round_up(grid.destination.channels, micro_tile().columns)),
        input_stride(round_up(depth, 16)) {
    const int64_t tile_bytes = grid.points() * (input_stride + columns) * 4;
    chunk = chunk_of(grid.count, std::clamp<int64_t>(chunk_bytes / tile_bytes, 24, 96));
    input_plane = plane_stride(chunk * input_stride);
    output_plane = plane_stride(chunk * columns);
    WorkspaceCutter cutter(workspace);
    kernel = cutter.take(grid.points() * depth * columns);
    scratch = cutter.take(threads * thread_floats());
    bytes = cutter.bytes();
  }

  int64_t kernel_plane() const { return depth * columns; }
  int64_t packed_floats() const { return taps * depth * micro_tile().columns; }
  int64_t outside_floats() const { return std::max(input_stride, columns); }
  // A chunk in both domains and what lies outside of pictures; before that, a panel of the kernel.
  int64_t thread_floats() const {
    const int64_t chunk_floats = grid.points() * (input_plane + output_plane) + outside_floats();
    return round_up(std::max(chunk_floats, packed_floats()), 16);
  }

  TileGrid grid;
  int64_t depth, columns;
  int64_t input_stride;
  int64_t chunk;
  int64_t input_plane, output_plane;
  float* kernel;  // for each point panels of columns, as pack_columns makes them
  float* scratch;
  int64_t bytes;
};

// Each tap of the kernel is a (depth, columns) matrix; the transform does not mind how it is
// packed.
template <class TapMatrix>
void transform_kernel(const Product& plan, TapMatrix&& tap_matrix, ThreadPool& threads) {
  const int64_t width = micro_tile().columns, size = plan.depth * width;
  threads.run(plan.columns / width, [&](int64_t panel, int thread) {
    float* packed = plan.scratch + thread * plan.thread_floats();
    const int64_t columns = std::min(width, plan.grid.destination.channels - panel * width);
    for (int64_t tap = 0; tap < taps; ++tap)
      pack_columns(tap_matrix(tap).at(0, panel * width), plan.depth, columns, packed + tap * size,
                   size);
    std::array<const float*, taps> from;
    std::array<float*, most_points> to;
    list_planes<const float>(packed, size, taps, from.data());
    list_planes(plan.kernel + panel * size, plan.kernel_plane(), plan.grid.points(), to.data());
    winograd_transform(plan.grid.tile, WinogradStep::kernel, {from.data(), to.data(), size});
  });
}

void multiply_points(const Product& plan, int64_t tiles, const float* input, float* output) {
  const int64_t block = depth_block(plan.depth), width = micro_tile().columns;
  for (int64_t point = 0; point < plan.grid.points(); ++point)
    for (int64_t k = 0; k < plan.depth; k += block)
      multiply_block({.rows = tiles,
                      .columns = plan.columns,
                      .depth = std::min(block, plan.depth - k),
                      .a = {input + point * plan.input_plane + k, plan.input_stride, 1},
                      .b = plan.kernel + point * plan.kernel_plane() + k * width,
                      .panel_stride = plan.depth * width,
                      .c = output + point * plan.output_plane,
                      .c_row_stride = plan.columns,
                      .accumulate = k > 0,
                      .chain = chain_length(plan.grid.tile)});
}

void add_bias(const float* bias, int64_t channels, int64_t count, float* const* cells,
              const float* outside) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < channels && cells[i] != outside; ++c) cells[i][c] += bias[c];
}

void run_chunk(const Product& plan, int64_t first, const float* source, const float* bias,
               float* destination, float* scratch) {
  const TileGrid& grid = plan.grid;
  const int64_t tiles = std::min(plan.chunk, grid.count - first);
  float* input = scratch;
  float* output = input + grid.points() * plan.input_plane;
  float* outside = output + grid.points() * plan.output_plane;
  std::fill_n(outside, plan.outside_floats(), 0.0f);
  std::array<const float*, most_points> from;
  std::array<float*, most_points> to;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    list_source(grid, first + tile, source, outside, from.data());
    list_planes(input + tile * plan.input_stride, plan.input_plane, grid.points(), to.data());
    winograd_transform(grid.tile, WinogradStep::input, {from.data(), to.data(), plan.depth});
  }
  multiply_points(plan, tiles, input, output);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    list_planes<const float>(output + tile * plan.columns, plan.output_plane, grid.points(),
                             from.data());
    list_destination(grid, first + tile, destination, outside, to.data());
    winograd_transform(grid.tile, WinogradStep::output,
                       {from.data(), to.data(), grid.destination.channels});
    if (bias) add_bias(bias, grid.destination.channels, grid.tile.outputs(), to.data(), outside);
  }
}

void run_chunks(const Product& plan, const float* source, const float* bias, float* destination,
                ThreadPool& threads) {
  threads.run(divide_up(plan.grid.count, plan.chunk), [&](int64_t piece, int thread) {
    run_chunk(plan, piece * plan.chunk, source, bias, destination,
              plan.scratch + thread * plan.thread_floats());
  });
}

// ---- gradient to the kernel ----

struct KernelGradient {
  KernelGradient(const Convolution& p, WinogradTile tile, int threads, void* workspace = nullptr)
      : grid(forward_grid(p, tile)),
        rows(p.in_channels),
        columns(round_up(p.out_channels, micro_tile().columns)),
        input_stride(round_up(rows, 16)),
        chunk(chunk_of(grid.count, 256)),
        input_plane(plane_stride(chunk * input_stride)),
        gradient_plane(plane_stride(chunk * columns)),
        result_plane(plane_stride(rows * columns)) {
    WorkspaceCutter cutter(workspace);
    input = cutter.take(grid.points() * input_plane);
    gradient = cutter.take(grid.points() * gradient_plane);
    result = cutter.take(grid.points() * result_plane);
    zeros = cutter.take(threads * zero_floats());
    bytes = cutter.bytes();
  }

  int64_t zero_floats() const { return std::max(input_stride, columns); }

  TileGrid grid;
  int64_t rows, columns;
  int64_t input_stride;
  int64_t chunk;
  int64_t input_plane, gradient_plane, result_plane;
  float* input;     // (points, tiles, rows)
  float* gradient;  // for each point panels of columns; the tiles are the depth
  float* result;    // (points, rows, columns)
  float* zeros;
  int64_t bytes;
};

struct GradientOperands {
  const float* input;
  const float* gradient_output;
};

void transform_tile(const KernelGradient& plan, int64_t first, int64_t tiles, int64_t tile,
                    const GradientOperands& on, float* zeros) {
  const TileGrid& grid = plan.grid;
  std::array<const float*, most_points> from;
  std::array<float*, most_points> to;
  std::fill_n(zeros, plan.zero_floats(), 0.0f);
  list_source(grid, first + tile, on.input, zeros, from.data());
  list_planes(plan.input + tile * plan.input_stride, plan.input_plane, grid.points(), to.data());
  winograd_transform(grid.tile, WinogradStep::input, {from.data(), to.data(), plan.rows});
  const int64_t width = micro_tile().columns, channels = grid.destination.channels;
  list_destination<const float>(grid, first + tile, on.gradient_output, zeros, from.data());
  for (int64_t n = 0; n < plan.columns; n += width) {
    list_planes(plan.gradient + n * tiles + tile * width, plan.gradient_plane, grid.points(),
                to.data());
    winograd_transform(grid.tile, WinogradStep::output_gradient,
                       {from.data(), to.data(), std::min(width, channels - n)});
    for (int64_t i = 0; i < grid.tile.outputs(); ++i)
      if (from[static_cast<size_t>(i)] != zeros) from[static_cast<size_t>(i)] += width;
  }
}

// One block of columns of the result at one point, over the tiles of a chunk.
void multiply_piece(const KernelGradient& plan, int64_t point, int64_t n, int64_t columns,
                    int64_t tiles, bool accumulate) {
  const int64_t block = depth_block(tiles), width = micro_tile().columns;
  for (int64_t k = 0; k < tiles; k += block)
    multiply_block(
        {.rows = plan.rows,
         .columns = columns,
         .depth = std::min(block, tiles - k),
         .a = {plan.input + point * plan.input_plane + k * plan.input_stride, 1, plan.input_stride},
         .b = plan.gradient + point * plan.gradient_plane + n * tiles + k * width,
         .panel_stride = tiles * width,
         .c = plan.result + point * plan.result_plane + n,
         .c_row_stride = plan.columns,
         .accumulate = accumulate || k > 0,
         .chain = chain_length(plan.grid.tile)});
}

void run_gradient_chunk(const KernelGradient& plan, int64_t first, const GradientOperands& on,
                        ThreadPool& threads) {
  constexpr int64_t group = 8, block_columns = 128;
  const int64_t tiles = std::min(plan.chunk, plan.grid.count - first);
  threads.run(divide_up(tiles, group), [&](int64_t piece, int thread) {
    for (int64_t tile = piece * group; tile < std::min(tiles, (piece + 1) * group); ++tile)
      transform_tile(plan, first, tiles, tile, on, plan.zeros + thread * plan.zero_floats());
  });
  const int64_t blocks = divide_up(plan.columns, block_columns);
  threads.run(plan.grid.points() * blocks, [&](int64_t piece, int) {
    const int64_t n = piece % blocks * block_columns;
    multiply_piece(plan, piece / blocks, n, std::min(block_columns, plan.columns - n), tiles,
                   first > 0);
  });
}

void transform_result(const KernelGradient& plan, float* gradient_kernel, ThreadPool& threads) {
  const int64_t channels = plan.grid.destination.channels;
  threads.run(plan.rows, [&](int64_t row, int) {
    std::array<const float*, most_points> from;
    std::array<float*, taps> to;
    list_planes<const float>(plan.result + row * plan.columns, plan.result_plane,
                             plan.grid.points(), from.data());
    list_planes(gradient_kernel + row * channels, plan.rows * channels, taps, to.data());
    winograd_transform(plan.grid.tile, WinogradStep::kernel_gradient,
                       {from.data(), to.data(), channels});
  });
}

// ---- the method ----

std::string refusal(const Convolution& p, ConvolutionPass) {
  if (p.kernel_height != winograd_kernel || p.kernel_width != winograd_kernel)
    return "the kernel is not 3x3";
  if (p.stride_height != 1 || p.stride_width != 1) return "the strides are not 1";
  if (p.dilation_height != 1 || p.dilation_width != 1) return "the dilations are not 1";
  return p.groups == 1 ? "" : "channels in groups";
}

template <WinogradTile tile>
int64_t workspace_bytes(const Convolution& p, ConvolutionPass pass, int threads) {
  switch (pass) {
    case ConvolutionPass::forward:
      return Product(forward_grid(p, tile), threads).bytes;
    case ConvolutionPass::gradient_to_input:
      return Product(backward_grid(p, tile), threads).bytes;
    case ConvolutionPass::gradient_to_kernel:
      return KernelGradient(p, tile, threads).bytes;
  }
  __builtin_unreachable();
}

template <WinogradTile tile>
void forward(const Convolution& p, const float* input, const float* kernel, const float* bias,
             float* output, void* workspace, ThreadPool& threads) {
  const Product plan(forward_grid(p, tile), threads.threads(), workspace);
  transform_kernel(
      plan,
      [&](int64_t tap) {
        return MatrixView{kernel + tap * p.in_channels * p.out_channels, p.out_channels, 1};
      },
      threads);
  run_chunks(plan, input, bias, output, threads);
}

template <WinogradTile tile>
void gradient_to_input(const Convolution& p, const float* gradient_output, const float* kernel,
                       float* gradient_input, void* workspace, ThreadPool& threads) {
  const Product plan(backward_grid(p, tile), threads.threads(), workspace);
  transform_kernel(
      plan,
      [&](int64_t tap) {  // turned by 180 degrees, from output channels to input channels
        const float* matrix = kernel + (taps - 1 - tap) * p.in_channels * p.out_channels;
        return MatrixView{matrix, 1, p.out_channels};
      },
      threads);
  run_chunks(plan, gradient_output, nullptr, gradient_input, threads);
}

template <WinogradTile tile>
void gradient_to_kernel(const Convolution& p, const float* input, const float* gradient_output,
                        float* gradient_kernel, void* workspace, ThreadPool& threads) {
  const KernelGradient plan(p, tile, threads.threads(), workspace);
  for (int64_t first = 0; first < plan.grid.count; first += plan.chunk)
    run_gradient_chunk(plan, first, {input, gradient_output}, threads);
  transform_result(plan, gradient_kernel, threads);
}

template <WinogradTile tile>
constexpr ConvolutionImplementation winograd = {
    .refusal = refusal,
    .workspace = workspace_bytes<tile>,
    .forward = forward<tile>,
    .gradient_to_input = gradient_to_input<tile>,
    .gradient_to_kernel = gradient_to_kernel<tile>,
};

}  // namespace

const ConvolutionImplementation winograd_4x4_convolution = winograd<{4, 4}>;
const ConvolutionImplementation winograd_2x4_convolution = winograd<{2, 4}>;
const ConvolutionImplementation winograd_2x2_convolution = winograd<{2, 2}>;

}  // namespace hornbeam
