#include "backends/cpu/kernels/convolution.h"

#include <algorithm>
#include <array>

#include "kernel_testing.h"

namespace hornbeam {
namespace {

struct Sums {
  explicit Sums(size_t count) : value(count), scale(count) {}
  void add(size_t at, double term) {
    value[at] += term;
    scale[at] += std::abs(term);
  }
  std::vector<double> value, scale;
};

// Calls visit(output pixel·channel, input pixel·channel, kernel element) for every product of the
// convolution: the definition, from which all three passes follow.
template <class Visit>
void for_each_product(const Convolution& p, Visit&& visit) {
  const int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t oy = 0; oy < p.out_height(); ++oy)
      for (int64_t ox = 0; ox < p.out_width(); ++ox)
        for (int64_t ky = 0; ky < p.kernel_height; ++ky)
          for (int64_t kx = 0; kx < p.kernel_width; ++kx) {
            const int64_t y = oy * p.stride_height + ky * p.dilation_height - p.padding_top;
            const int64_t x = ox * p.stride_width + kx * p.dilation_width - p.padding_left;
            if (y < 0 || y >= p.height || x < 0 || x >= p.width) continue;
            for (int64_t o = 0; o < p.out_channels; ++o)
              for (int64_t i = 0; i < in; ++i)
                visit(static_cast<size_t>(
                          ((n * p.out_height() + oy) * p.out_width() + ox) * p.out_channels + o),
                      static_cast<size_t>(((n * p.height + y) * p.width + x) * p.in_channels +
                                          o / out * in + i),
                      static_cast<size_t>(((ky * p.kernel_width + kx) * in + i) * p.out_channels +
                                          o));
          }
}

struct Data {
  explicit Data(const Convolution& p)
      : input(random_floats(p.batch * p.height * p.width * p.in_channels, 1)),
        kernel(random_floats(
            p.kernel_height * p.kernel_width * p.in_channels / p.groups * p.out_channels, 2)),
        bias(random_floats(p.out_channels, 3)),
        gradient(random_floats(p.batch * p.out_height() * p.out_width() * p.out_channels, 4)) {}
  std::vector<float> input, kernel, bias, gradient;
};

std::string text(const Convolution& p) {
  return (testing::Message() << p.batch << "x" << p.height << "x" << p.width << "x" << p.in_channels
                             << " kernel " << p.kernel_height << "x" << p.kernel_width << " to "
                             << p.out_channels << " stride " << p.stride_height << ","
                             << p.stride_width << " padding " << p.padding_top << ","
                             << p.padding_bottom << "," << p.padding_left << "," << p.padding_right
                             << " dilation " << p.dilation_height << "," << p.dilation_width
                             << " groups " << p.groups)
      .GetString();
}

constexpr double tolerance = 2e-6;  // of the sum of all absolute products

// Winograd's sums mix a result with its neighbours, so a small one is measured by the large ones.
std::vector<double> scale_of(ConvolutionMethod method, const Sums& expected) {
  const bool mixes = name_of(method).starts_with("winograd");
  if (!mixes || expected.scale.empty()) return expected.scale;
  return std::vector<double>(expected.scale.size(), *std::ranges::max_element(expected.scale));
}

using Run = std::function<void(float* result, void* workspace, ThreadPool&)>;

void check_pass(const Convolution& p, ConvolutionPass pass, ConvolutionMethod method,
                const Sums& expected, const Run& run) {
  if (!convolution_refusal(p, pass, method).empty()) return;
  SCOPED_TRACE(std::string(name_of(method)) + ", pass " + std::to_string(static_cast<int>(pass)));
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> result(expected.value.size(), 7.0f);
        TestWorkspace workspace(convolution_workspace(p, pass, method, pool.threads()));
        run(result.data(), workspace.data(), pool);
        return result;
      },
      [&](const std::vector<float>& result) {
        expect_near(result, expected.value, scale_of(method, expected), tolerance);
      });
}

void check_method(const Convolution& p, ConvolutionMethod method) {
  SCOPED_TRACE(text(p));
  const Data data(p);
  Sums output(data.gradient.size()), to_input(data.input.size()), to_kernel(data.kernel.size());
  for (size_t i = 0; i < output.value.size(); ++i) output.add(i, data.bias[i % data.bias.size()]);
  for_each_product(p, [&](size_t o, size_t i, size_t k) {
    output.add(o, double{data.input[i]} * data.kernel[k]);
    to_input.add(i, double{data.gradient[o]} * data.kernel[k]);
    to_kernel.add(k, double{data.gradient[o]} * data.input[i]);
  });
  check_pass(p, ConvolutionPass::forward, method, output,
             [&](float* result, void* workspace, ThreadPool& pool) {
               convolution_forward(p, method, data.input.data(), data.kernel.data(),
                                   data.bias.data(), result, workspace, pool);
             });
  check_pass(p, ConvolutionPass::gradient_to_input, method, to_input,
             [&](float* result, void* workspace, ThreadPool& pool) {
               convolution_gradient_to_input(p, method, data.gradient.data(), data.kernel.data(),
                                             result, workspace, pool);
             });
  check_pass(p, ConvolutionPass::gradient_to_kernel, method, to_kernel,
             [&](float* result, void* workspace, ThreadPool& pool) {
               convolution_gradient_to_kernel(p, method, data.input.data(), data.gradient.data(),
                                              result, workspace, pool);
             });
}

void check_all(const Convolution& p) {
  for (ConvolutionMethod method : convolution_methods) check_method(p, method);
}

Convolution same_3x3(int64_t batch, int64_t size, int64_t in, int64_t out) {
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

TEST(Convolution, Same3x3) {
  check_all(same_3x3(1, 1, 1, 1));
  check_all(same_3x3(2, 5, 3, 7));
  check_all(same_3x3(3, 8, 16, 24));
  check_all(same_3x3(2, 9, 17, 33));
  check_all(same_3x3(1, 16, 40, 50));
  check_all(same_3x3(5, 7, 48, 16));
}

TEST(Convolution, Valid3x3AndUnevenPadding) {
  Convolution p = same_3x3(2, 10, 16, 20);
  p.padding_top = p.padding_left = 0;
  check_all(p);
  p.padding_bottom = p.padding_right = 0;
  check_all(p);
  p.padding_top = 2, p.padding_right = 2, p.width = 7;
  check_all(p);
}

TEST(Convolution, OtherKernels) {
  check_all({.batch = 2,
             .height = 28,
             .width = 28,
             .in_channels = 1,
             .kernel_height = 5,
             .kernel_width = 5,
             .out_channels = 6,
             .padding_top = 2,
             .padding_bottom = 2,
             .padding_left = 2,
             .padding_right = 2});
  check_all({.batch = 1,
             .height = 6,
             .width = 11,
             .in_channels = 5,
             .kernel_height = 1,
             .kernel_width = 4,
             .out_channels = 3,
             .padding_left = 1,
             .padding_right = 2});
  check_all({.batch = 2,
             .height = 4,
             .width = 4,
             .in_channels = 300,
             .kernel_height = 2,
             .kernel_width = 2,
             .out_channels = 270});
  check_all({.batch = 1,
             .height = 3,
             .width = 3,
             .in_channels = 4,
             .kernel_height = 7,
             .kernel_width = 7,
             .out_channels = 2,
             .padding_top = 3,
             .padding_bottom = 3,
             .padding_left = 3,
             .padding_right = 3});
}

TEST(Convolution, Pointwise) {
  check_all({.batch = 3, .height = 5, .width = 7, .in_channels = 19, .out_channels = 23});
  check_all(
      {.batch = 2, .height = 8, .width = 8, .in_channels = 12, .out_channels = 18, .groups = 3});
  check_all({.batch = 2,
             .height = 9,
             .width = 8,
             .in_channels = 6,
             .out_channels = 10,
             .stride_height = 2,
             .stride_width = 2});
}

TEST(Convolution, StridesAndDilations) {
  for (int64_t stride_y : {1, 2, 3})
    for (int64_t stride_x : {1, 2})
      for (int64_t dilation : {1, 2, 3})
        check_all({.batch = 2,
                   .height = 11,
                   .width = 9,
                   .in_channels = 5,
                   .kernel_height = 3,
                   .kernel_width = 2,
                   .out_channels = 6,
                   .stride_height = stride_y,
                   .stride_width = stride_x,
                   .padding_top = 1,
                   .padding_bottom = 2,
                   .padding_left = 3,
                   .padding_right = 0,
                   .dilation_height = dilation,
                   .dilation_width = 3 - dilation / 2});
}

TEST(Convolution, StrideBeyondTheKernelLeavesZeros) {
  check_all({.batch = 1,
             .height = 9,
             .width = 9,
             .in_channels = 3,
             .kernel_height = 2,
             .kernel_width = 2,
             .out_channels = 4,
             .stride_height = 4,
             .stride_width = 3});
}

TEST(Convolution, Groups) {
  Convolution p = same_3x3(2, 7, 12, 20);
  p.groups = 4;
  check_all(p);
  p.stride_height = 2;
  p.dilation_width = 2;
  check_all(p);
}

TEST(Convolution, Depthwise) {
  for (int64_t channels : {1, 7, 16, 37})
    for (int64_t stride : {1, 2}) {
      Convolution p = same_3x3(2, 9, channels, channels);
      p.groups = channels;
      p.stride_height = p.stride_width = stride;
      check_all(p);
      p.out_channels = 2 * channels;
      check_all(p);
    }
}

TEST(Convolution, LargerThanOnePieceOfWork) {
  check_all(same_3x3(4, 20, 3, 12));
  Convolution p = same_3x3(3, 20, 50, 20);
  p.stride_height = p.stride_width = 2;
  check_all(p);
}

// All methods that take a problem, those that would not be chosen as well; the draws are the same
// in every run.
TEST(Convolution, ProblemsDrawnByChance) {
  Random random(7);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1)));
  };
  for (int draw = 0; draw < 40; ++draw) {
    const bool three = draw % 2 == 0;  // Winograd's
    const int64_t groups = draw % 3 == 0 ? between(2, 4) : 1;
    Convolution p{.batch = between(1, 2),
                  .height = between(3, 13),
                  .width = between(3, 13),
                  .in_channels = groups * (draw % 6 == 0 ? 1 : between(1, 9)),
                  .kernel_height = three ? 3 : between(1, 3),
                  .kernel_width = three ? 3 : between(1, 3),
                  .out_channels = groups * between(1, 9),
                  .stride_height = three ? 1 : between(1, 3),
                  .stride_width = three ? 1 : between(1, 3),
                  .padding_top = between(0, 2),
                  .padding_bottom = between(0, 2),
                  .padding_left = between(0, 2),
                  .padding_right = between(0, 2),
                  .dilation_height = three ? 1 : between(1, 2),
                  .dilation_width = three ? 1 : between(1, 2),
                  .groups = groups};
    check_all(p);
  }
}

// Relative L2 distance.
double error_of(const std::vector<float>& result, const std::vector<double>& exact) {
  double error = 0, size = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    error += std::pow(result[i] - exact[i], 2);
    size += std::pow(exact[i], 2);
  }
  return std::sqrt(error / size);
}

template <class Float>
struct PassResults {
  explicit PassResults(const Data& data)
      : forward(data.gradient.size()), to_input(data.input.size()), to_kernel(data.kernel.size()) {}
  std::vector<Float> forward, to_input, to_kernel;
};

// Summed one product after the other.
template <class Float>
PassResults<Float> plain_sums(const Convolution& p, const Data& data) {
  PassResults<Float> sums(data);
  for_each_product(p, [&](size_t o, size_t i, size_t k) {
    sums.forward[o] += Float{data.input[i]} * data.kernel[k];
    sums.to_input[i] += Float{data.gradient[o]} * data.kernel[k];
    sums.to_kernel[k] += Float{data.gradient[o]} * data.input[i];
  });
  return sums;
}

PassResults<float> sums_of(ConvolutionMethod method, const Convolution& p, const Data& data) {
  PassResults<float> result(data);
  ThreadPool pool(2);
  const auto workspace = [&](ConvolutionPass pass) {
    return TestWorkspace(convolution_workspace(p, pass, method, pool.threads()));
  };
  convolution_forward(p, method, data.input.data(), data.kernel.data(), nullptr,
                      result.forward.data(), workspace(ConvolutionPass::forward).data(), pool);
  convolution_gradient_to_input(p, method, data.gradient.data(), data.kernel.data(),
                                result.to_input.data(),
                                workspace(ConvolutionPass::gradient_to_input).data(), pool);
  convolution_gradient_to_kernel(p, method, data.input.data(), data.gradient.data(),
                                 result.to_kernel.data(),
                                 workspace(ConvolutionPass::gradient_to_kernel).data(), pool);
  return result;
}

void expect_no_less_exact(ConvolutionMethod method, const Convolution& p) {
  SCOPED_TRACE(text(p) + ", " + std::string(name_of(method)));
  const Data data(p);
  const PassResults<double> exact = plain_sums<double>(p, data);
  const PassResults<float> plain = plain_sums<float>(p, data), result = sums_of(method, p, data);
  const auto check = [&](ConvolutionPass pass, const std::vector<float>& received,
                         const std::vector<float>& summed, const std::vector<double>& wanted) {
    if (!convolution_is_exact(p, pass, method)) return;
    EXPECT_LE(error_of(received, wanted), error_of(summed, wanted)) << static_cast<int>(pass);
  };
  check(ConvolutionPass::forward, result.forward, plain.forward, exact.forward);
  check(ConvolutionPass::gradient_to_input, result.to_input, plain.to_input, exact.to_input);
  check(ConvolutionPass::gradient_to_kernel, result.to_kernel, plain.to_kernel, exact.to_kernel);
}

// What --matmul-precision highest promises.
TEST(Convolution, WhatCountsAsExactIsNoLessExactThanPlainSums) {
  for (const Convolution& p : {same_3x3(8, 8, 128, 96), same_3x3(16, 7, 33, 65)})
    for (ConvolutionMethod method : {ConvolutionMethod::matrix, ConvolutionMethod::winograd_2x2})
      expect_no_less_exact(method, p);
}

// The shortest sums that count as exact: of channels in either direction, and of pixels.
TEST(Convolution, TilesAreExactFromTheLengthOnThatTheyClaim) {
  const std::pair<ConvolutionMethod, std::array<Convolution, 3>> shortest[] = {
      {ConvolutionMethod::winograd_2x4,
       {same_3x3(4, 8, 64, 20), same_3x3(4, 8, 20, 64), same_3x3(9, 8, 40, 40)}},
      {ConvolutionMethod::winograd_4x4,
       {same_3x3(2, 8, 342, 20), same_3x3(2, 8, 20, 342), same_3x3(48, 8, 20, 20)}}};
  for (const auto& [method, problems] : shortest) {
    EXPECT_TRUE(convolution_is_exact(problems[0], ConvolutionPass::forward, method));
    EXPECT_TRUE(convolution_is_exact(problems[1], ConvolutionPass::gradient_to_input, method));
    EXPECT_TRUE(convolution_is_exact(problems[2], ConvolutionPass::gradient_to_kernel, method));
    for (const Convolution& p : problems) expect_no_less_exact(method, p);
  }
}

TEST(Convolution, EmptyPictures) {
  check_all(same_3x3(0, 5, 2, 3));
  check_all(same_3x3(2, 5, 0, 3));
  check_all({.batch = 1,
             .height = 2,
             .width = 2,
             .in_channels = 2,
             .kernel_height = 3,
             .kernel_width = 3,
             .out_channels = 2});
}

TEST(Convolution, RefusesWithAReason) {
  Convolution p = same_3x3(1, 8, 6, 6);
  EXPECT_NE(convolution_refusal(p, ConvolutionPass::forward, ConvolutionMethod::direct), "");
  EXPECT_EQ(convolution_refusal(p, ConvolutionPass::forward, ConvolutionMethod::matrix), "");
  p.groups = 4;
  EXPECT_NE(convolution_refusal(p, ConvolutionPass::forward, ConvolutionMethod::matrix), "");
}

}  // namespace
}  // namespace hornbeam
