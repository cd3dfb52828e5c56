// Every family of kernels of the CPU backend against the interpreter on shapes drawn by chance: odd
// channels and sizes, batch 1, strides, padding, dilation, groups; on every instruction set. The
// draws are the same in every run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "backends/backends.h"
#include "backends/cpu/kernels/isa.h"
#include "ir/interpret.h"
#include "ops/ops.h"
#include "run_on.h"

namespace hornbeam {
namespace {

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool coin() { return between(0, 1) == 1; }
  Integers two(int64_t low, int64_t high) { return {between(low, high), between(low, high)}; }
  Shape shape(int64_t rank, int64_t highest) {
    std::vector<int64_t> extents;
    for (int64_t axis = 0; axis < rank; ++axis) extents.push_back(between(1, highest));
    return Shape(std::move(extents));
  }
  Tensor numbers(const Type& type) {
    std::normal_distribution<float> normal;
    Tensor tensor(type.dtype, type.shape);
    for (float& value : tensor.values<float>()) value = normal(random_);
    return tensor;
  }

 private:
  std::mt19937 random_;
};

// A graph of one family, and the values of those inputs that are no random floats.
struct Drawn {
  explicit Drawn(uint32_t seed) : draw(seed) {}

  Expr input(Shape shape) {
    Type type{DType::float32, std::move(shape)};
    inputs.push_back(draw.numbers(type));
    return build.input(std::to_string(inputs.size()), type);
  }
  Expr given(Tensor value) {
    inputs.push_back(std::move(value));
    Type type{inputs.back().dtype(), inputs.back().shape()};
    return build.input(std::to_string(inputs.size()), type);
  }
  void output(Expr y) { build.output("y" + std::to_string(build.graph().outputs().size()), y); }

  Draw draw;
  Builder build;
  std::vector<Tensor> inputs;
};

void convolution_and_gradients(Drawn& d) {
  const int64_t groups = d.draw.coin() ? 1 : d.draw.between(2, 5);
  const bool depthwise = groups > 1 && d.draw.coin();
  const int64_t in = depthwise ? 1 : d.draw.between(1, 9), out = d.draw.between(1, 7);
  const bool three = d.draw.coin();  // what Winograd's kernels take
  ConvAttributes a{.strides = three ? Integers{1, 1} : d.draw.two(1, 3),
                   .padding_low = d.draw.two(0, 2),
                   .padding_high = d.draw.two(0, 2),
                   .dilation = three ? Integers{1, 1} : d.draw.two(1, 2),
                   .groups = groups};
  Integers kernel = three ? Integers{3, 3} : d.draw.two(1, 4);
  Integers size;
  for (size_t i = 0; i < 2; ++i)
    size.push_back(a.dilation[i] * (kernel[i] - 1) + 1 + d.draw.between(0, 9));
  Shape picture{d.draw.between(1, 3), size[0], size[1], in * groups};
  Shape weights{kernel[0], kernel[1], in, out * groups};
  Expr x = d.input(picture), k = d.input(weights), y = conv(x, k, a);
  Expr dy = d.input(Shape(y.shape()));
  d.output(y);
  d.output(conv_input_gradient(dy, k, a, picture));
  d.output(conv_kernel_gradient(x, dy, a, weights));
}

void pooling_and_gradients(Drawn& d) {
  PoolAttributes a{.window = d.draw.two(1, 4), .strides = d.draw.two(1, 3)};
  Integers size;
  for (size_t i = 0; i < 2; ++i) {
    a.padding_low.push_back(d.draw.between(0, a.window[i] - 1));
    a.padding_high.push_back(d.draw.between(0, a.window[i] - 1));
    size.push_back(a.window[i] + d.draw.between(0, 9));
  }
  Shape picture{d.draw.between(1, 3), size[0], size[1], d.draw.between(1, 37)};
  Expr x = d.input(picture), y = max_pool(x, a), dy = d.input(Shape(y.shape()));
  d.output(y);
  d.output(max_pool_gradient(x, dy, a));
  d.output(average_pool(x, a));
  d.output(average_pool_gradient(dy, a, picture));
}

void batch_normalization(Drawn& d) {
  Shape shape = d.draw.coin() ? d.draw.shape(2, 41) : d.draw.shape(4, 11);
  const int64_t axis = shape.rank() - 1;
  Shape channels{shape[axis]};
  Expr x = d.input(shape), gamma = d.input(channels), beta = d.input(channels);
  Expr valid = d.given(Tensor::scalar(static_cast<int32_t>(d.draw.between(1, shape[0]))));
  BatchNormResult result = batch_norm_training(x, gamma, beta, valid, axis, 1e-2);
  BatchNormGradient gradient = batch_norm_gradient(x, gamma, result.mean, result.variance, valid,
                                                   d.input(shape), axis, 1e-2);
  for (Expr y : {result.y, result.mean, result.variance, gradient.x, gradient.gamma, gradient.beta})
    d.output(y);
}

void reductions(Drawn& d) {
  Shape shape = d.draw.shape(d.draw.between(1, 4), 23);
  Integers axes;
  for (int64_t axis = 0; axis < shape.rank(); ++axis)
    if (d.draw.coin()) axes.push_back(axis);
  Expr x = d.input(shape);
  for (const char* kind : {"add", "maximum", "minimum"}) d.output(reduce(x, kind, axes));
  d.output(reduce(x * d.input(shape), "add", axes));
  d.output(convert(argmax(x, d.draw.between(0, shape.rank() - 1)), DType::float32));
}

void softmaxes(Drawn& d) {
  Shape shape = d.draw.shape(d.draw.between(1, 3), 60);
  const int64_t axis = d.draw.between(0, shape.rank() - 1);
  Expr x = d.input(shape);
  d.output(softmax(x, axis));
  d.output(log_softmax(x, axis));
}

void products(Drawn& d) {
  const int64_t rows = d.draw.between(1, 70), columns = d.draw.between(1, 70);
  const int64_t depth = d.draw.between(1, 300), batch = d.draw.between(1, 4);
  const bool turned_a = d.draw.coin(), turned_b = d.draw.coin();
  Expr a = d.input(turned_a ? Shape{batch, depth, rows} : Shape{batch, rows, depth});
  Expr b = d.input(turned_b ? Shape{batch, columns, depth} : Shape{batch, depth, columns});
  d.output(dot_general(a, b, {{0}, {0}, {turned_a ? 1 : 2}, {turned_b ? 2 : 1}}));
}

// A chain that uses its first value again, with operands that are rows, columns and scalars.
void elementwise_chains(Drawn& d) {
  Shape shape = d.draw.shape(3, 19);
  Expr first = d.input(shape), x = first;
  for (int64_t links = d.draw.between(2, 9); links > 0; --links) {
    switch (d.draw.between(0, 7)) {
      case 0:
        x = x + broadcast_to(d.input({shape[2]}), shape);
        break;
      case 1:
        x = x * broadcast_in_dim(d.input({shape[0]}), shape, {0});
        break;
      case 2:
        x = x - broadcast_to(d.input({}), shape);
        break;
      case 3:
        x = tanh(x) * first;
        break;
      case 4:
        x = select(compare(x, "LT", first), exponential(-abs(x)), first);
        break;
      case 5:
        x = log(abs(x) + 1) / (abs(first) + 0.5);
        break;
      case 6:
        x = maximum(x, minimum(first, d.input(shape)));
        break;
      default:
        x = logistic(x) + relu(first);
    }
  }
  d.output(x);
  d.output(sum(x, {1}));
}

void tables_and_copies(Drawn& d) {
  const int64_t rows = d.draw.between(1, 9), width = d.draw.between(1, 40);
  Tensor indices(DType::int32, d.draw.shape(2, 9));
  for (int32_t& index : indices.values<int32_t>())
    index = static_cast<int32_t>(d.draw.between(0, rows - 1));
  Expr at = d.given(std::move(indices)), picked = gather(d.input({rows, width}), at);
  d.output(picked);
  d.output(scatter(at, d.input(Shape(picked.shape())), rows));
  Expr turned = transpose(picked, {2, 0, 1});
  d.output(turned);
  d.output(concatenate(std::array{turned, reverse(turned, {0, 2})}, d.draw.between(0, 2)));
}

std::vector<Tensor> on_the_cpu(const Graph& graph, const std::vector<Tensor>& inputs,
                               std::string_view isa, MatmulPrecision precision) {
  auto backend = make_backend("cpu", {.threads = 2, .isa = std::string(isa)});
  return run_on(*backend, graph, inputs, {.matmul_precision = precision});
}

void expect_near(const Tensor& received, const Tensor& expected) {
  float largest = 1;
  for (float value : expected.values<float>()) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < expected.values<float>().size(); ++i)
    ASSERT_NEAR(received.values<float>()[i], expected.values<float>()[i], 2e-5f * largest)
        << to_string(expected.shape()) << ", element " << i;
}

struct Family {
  const char* name;
  void (*draw)(Drawn& drawn);
  uint32_t draws;
};

class RandomShapes : public testing::TestWithParam<Family> {};

TEST_P(RandomShapes, AgreeWithTheReference) {
  const std::vector<std::string_view> sets = available_isas();
  for (uint32_t seed = 0; seed < GetParam().draws; ++seed) {
    SCOPED_TRACE("draw " + std::to_string(seed));
    Drawn drawn(seed);
    GetParam().draw(drawn);
    const Graph graph = drawn.build.finish();
    const std::vector<Tensor> expected = interpret(graph, drawn.inputs);
    const auto precision = seed % 2 == 0 ? MatmulPrecision::highest : MatmulPrecision::high;
    const std::vector<Tensor> received =
        on_the_cpu(graph, drawn.inputs, sets[seed / 2 % sets.size()], precision);
    for (size_t i = 0; i < expected.size(); ++i) expect_near(received[i], expected[i]);
    if (HasFailure()) break;
  }
  force_isa(sets.front());
}

constexpr Family families[] = {
    {"convolution", convolution_and_gradients, 60},
    {"pooling", pooling_and_gradients, 60},
    {"batch_normalization", batch_normalization, 60},
    {"reductions", reductions, 60},
    {"softmaxes", softmaxes, 60},
    {"products", products, 60},
    {"elementwise_chains", elementwise_chains, 120},
    {"tables_and_copies", tables_and_copies, 60},
};

INSTANTIATE_TEST_SUITE_P(Cpu, RandomShapes, testing::ValuesIn(families),
                         [](const auto& family) { return std::string(family.param.name); });

}  // namespace
}  // namespace hornbeam
