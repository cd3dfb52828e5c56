#include "backends/cpu/kernels/pooling.h"

#include <limits>

#include "kernel_testing.h"

namespace hornbeam {
namespace {

// Calls visit(output, inputs of its window in order) for every channel of every output.
template <class Visit>
void for_each_window(const Pooling& p, Visit&& visit) {
  size_t out = 0;
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t oy = 0; oy < p.out_height(); ++oy)
      for (int64_t ox = 0; ox < p.out_width(); ++ox)
        for (int64_t c = 0; c < p.channels; ++c) {
          std::vector<size_t> inputs;
          for (int64_t ky = 0; ky < p.window_height; ++ky)
            for (int64_t kx = 0; kx < p.window_width; ++kx) {
              const int64_t y = oy * p.stride_height + ky - p.padding_top;
              const int64_t x = ox * p.stride_width + kx - p.padding_left;
              if (y >= 0 && y < p.height && x >= 0 && x < p.width)
                inputs.push_back(
                    static_cast<size_t>(((n * p.height + y) * p.width + x) * p.channels + c));
            }
          visit(out++, inputs);
        }
}

void check_case(const Pooling& p) {
  SCOPED_TRACE(testing::Message() << p.batch << "x" << p.height << "x" << p.width << "x"
                                  << p.channels << " window " << p.window_height << ","
                                  << p.window_width << " stride " << p.stride_height);
  const size_t in = static_cast<size_t>(p.batch * p.height * p.width * p.channels);
  const size_t out = static_cast<size_t>(p.batch * p.out_height() * p.out_width() * p.channels);
  std::vector<float> x = random_floats(static_cast<int64_t>(in), 1);
  const std::vector<float> dy = random_floats(static_cast<int64_t>(out), 2);
  for (size_t i = 0; i < in; i += 3) x[i] = 0.25f;  // equal maxima
  std::vector<double> largest(out), average(out), to_largest(in), to_average(in);
  for_each_window(p, [&](size_t o, const std::vector<size_t>& inputs) {
    if (inputs.empty()) {
      largest[o] = -std::numeric_limits<double>::infinity();
      return;
    }
    size_t first = inputs[0];
    for (size_t i : inputs) {
      if (x[i] > x[first]) first = i;
      average[o] += x[i] / static_cast<double>(inputs.size());
      to_average[i] += dy[o] / static_cast<double>(inputs.size());
    }
    largest[o] = x[first];
    to_largest[first] += dy[o];
  });
  std::vector<double> expected;
  for (const auto* part : {&largest, &average, &to_largest, &to_average})
    expected.insert(expected.end(), part->begin(), part->end());
  on_every_machine(
      [&](ThreadPool& pool) {
        std::vector<float> all(2 * out + 2 * in, 3.0f);
        float* to = all.data();
        max_pooling(p, x.data(), to, pool);
        average_pooling(p, x.data(), to + out, pool);
        max_pooling_gradient(p, x.data(), dy.data(), to + 2 * out, pool);
        average_pooling_gradient(p, dy.data(), to + 2 * out + in, pool);
        return all;
      },
      [&](const std::vector<float>& all) {
        for (size_t i = 0; i < all.size(); ++i) {
          if (std::isinf(expected[i]))
            ASSERT_EQ(all[i], static_cast<float>(expected[i]));
          else
            ASSERT_NEAR(all[i], expected[i], 2e-6) << i;
        }
      });
}

TEST(Pooling, EveryShape) {
  check_case({.batch = 2,
              .height = 6,
              .width = 8,
              .channels = 5,
              .window_height = 2,
              .window_width = 2,
              .stride_height = 2,
              .stride_width = 2});
  check_case({.batch = 3,
              .height = 7,
              .width = 5,
              .channels = 37,
              .window_height = 3,
              .window_width = 2,
              .stride_height = 2,
              .stride_width = 1,
              .padding_top = 1,
              .padding_bottom = 1,
              .padding_left = 0,
              .padding_right = 1});
  check_case({.batch = 1,
              .height = 9,
              .width = 9,
              .channels = 70,
              .window_height = 3,
              .window_width = 3,
              .padding_top = 1,
              .padding_bottom = 1,
              .padding_left = 1,
              .padding_right = 1});
  check_case(
      {.batch = 1, .height = 2, .width = 2, .channels = 1, .window_height = 3, .window_width = 3});
  check_case(
      {.batch = 0, .height = 4, .width = 4, .channels = 3, .window_height = 2, .window_width = 2});
  check_case({.batch = 1,
              .height = 3,
              .width = 3,
              .channels = 2,
              .window_height = 2,
              .window_width = 2,
              .stride_height = 2,
              .stride_width = 2,
              .padding_top = 3});
}

TEST(Pooling, NotANumberIsTheMaximum) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float x[] = {1, nan, 5, nan}, dy[] = {2};
  float y, dx[4];
  ThreadPool pool(1);
  const Pooling p{
      .batch = 1, .height = 2, .width = 2, .channels = 1, .window_height = 2, .window_width = 2};
  max_pooling(p, x, &y, pool);
  EXPECT_TRUE(std::isnan(y));
  max_pooling_gradient(p, x, dy, dx, pool);
  EXPECT_EQ(std::vector<float>(dx, dx + 4), (std::vector<float>{0, 2, 0, 0}));
}

}  // namespace
}  // namespace hornbeam
