// What the type rules of composites refuse (H701), and that the message has the numbers.
#include <gtest/gtest.h>

#include "ops/ops.h"

namespace hornbeam {
namespace {

struct Refusal {
  const char* name;
  void (*build)(Builder& build);
  const char* message;  // a part of it
};

Expr floats(Builder& build, Shape shape) {
  return build.input("x" + std::to_string(build.graph().inputs().size()),
                     {DType::float32, std::move(shape)});
}

Expr of(Builder& build, DType dtype, Shape shape) {
  return build.input("x" + std::to_string(build.graph().inputs().size()),
                     {dtype, std::move(shape)});
}

void conv_of(Builder& b, Shape x, Shape kernel, const ConvAttributes& a) {
  conv(floats(b, std::move(x)), floats(b, std::move(kernel)), a);
}

ConvAttributes plain(int64_t groups = 1, const char* data_format = "channels_last") {
  return {{1, 1}, {0, 0}, {0, 0}, {1, 1}, groups, data_format};
}

PoolAttributes window(Integers extents, Integers strides, Integers low = {0, 0}) {
  return {std::move(extents), std::move(strides), std::move(low), {0, 0}};
}

void norm_of(Builder& b, Shape x, Shape gamma, int64_t axis, Type valid = {DType::int32, {}}) {
  batch_norm_training(floats(b, std::move(x)), floats(b, gamma), floats(b, gamma),
                      of(b, valid.dtype, valid.shape), axis, 1e-3);
}

const Refusal refusals[] = {
    {"conv_window",
     [](Builder& b) {
       conv_of(b, {1, 4, 2, 3}, {3, 3, 3, 8}, plain());
     },
     "a window of 3 does not fit in 2 cells"},
    {"conv_dilated_window",
     [](Builder& b) {
       ConvAttributes a = plain();
       a.dilation = {1, 4};
       conv_of(b, {1, 4, 8, 3}, {3, 3, 3, 8}, a);
     },
     "a window of 9 does not fit in 8 cells"},
    {"conv_channels",
     [](Builder& b) {
       conv_of(b, {1, 4, 4, 3}, {3, 3, 2, 8}, plain());
     },
     "3 channels in 1 groups do not fit a kernel (3, 3, 2, 8)"},
    {"conv_groups",
     [](Builder& b) {
       conv_of(b, {1, 4, 4, 6}, {3, 3, 2, 8}, plain(3));
     },
     "6 channels in 3 groups do not fit a kernel (3, 3, 2, 8)"},
    {"conv_kernel_rank",
     [](Builder& b) {
       conv_of(b, {1, 4, 4, 3}, {3, 3, 8}, plain());
     },
     "expected a kernel of rank 4, received (3, 3, 8)"},
    {"conv_rank",
     [](Builder& b) {
       conv_of(b, {4, 4}, {3, 3}, plain());
     },
     "expected 1 to 3 spatial axes, received a tensor of rank 2"},
    {"conv_entries",
     [](Builder& b) {
       ConvAttributes a = plain();
       a.strides = {1};
       conv_of(b, {1, 4, 4, 3}, {3, 3, 3, 8}, a);
     },
     "expected 2 entries for 2 spatial axes"},
    {"conv_stride",
     [](Builder& b) {
       ConvAttributes a = plain();
       a.strides = {1, 0};
       conv_of(b, {1, 4, 4, 3}, {3, 3, 3, 8}, a);
     },
     "expected positive strides and dilation"},
    {"conv_overflow",
     [](Builder& b) {
       ConvAttributes a = plain();
       a.dilation = {1, int64_t{1} << 62};
       conv_of(b, {1, 4, 4, 3}, {3, 3, 3, 8}, a);
     },
     "3 cells that lie 4611686018427387904 apart are too many"},
    {"conv_padding_overflow",
     [](Builder& b) {
       ConvAttributes a = plain();
       a.padding_low = a.padding_high = {0, int64_t{1} << 62};
       conv_of(b, {1, 4, 4, 3}, {3, 3, 3, 8}, a);
     },
     "a length of 4 + 4611686018427387904 + 4611686018427387904 is too much"},
    {"conv_empty_kernel",
     [](Builder& b) {
       conv_of(b, {1, 4, 4, 3}, {0, 3, 3, 8}, plain());
     },
     "a window of 0 does not fit in 4 cells"},
    {"conv_format",
     [](Builder& b) {
       conv_of(b, {1, 4, 4, 3}, {3, 3, 3, 8}, plain(1, "channels_middle"));
     },
     "received 'channels_middle'"},
    {"conv_integers",
     [](Builder& b) {
       conv(of(b, DType::int32, {1, 4, 4, 3}), floats(b, {3, 3, 3, 8}), plain());
     },
     "expected floats of one type, received int32[1,4,4,3] and float32[3,3,3,8]"},
    {"conv_input_gradient",
     [](Builder& b) {
       conv_input_gradient(floats(b, {1, 4, 4, 8}), floats(b, {3, 3, 3, 8}), plain(), {1, 4, 4, 3});
     },
     "expected a gradient of shape (1, 2, 2, 8), received (1, 4, 4, 8)"},
    {"conv_kernel_gradient",
     [](Builder& b) {
       conv_kernel_gradient(floats(b, {1, 4, 4, 3}), floats(b, {2, 2, 2, 8}), plain(),
                            {3, 3, 3, 8});
     },
     "expected a gradient of shape (1, 2, 2, 8), received (2, 2, 2, 8)"},
    {"pool_window",
     [](Builder& b) {
       max_pool(floats(b, {1, 4, 2, 1}), window({3, 3}, {1, 1}));
     },
     "a window of 3 with stride 1 does not fit in 2 cells"},
    {"pool_padding",
     [](Builder& b) {
       average_pool(floats(b, {1, 4, 4, 1}), window({2, 2}, {1, 1}, {0, 2}));
     },
     "expected less padding than the window is wide"},
    {"pool_overflow",
     [](Builder& b) {
       max_pool(floats(b, {1, 4, 4, 1}), window({2, 2}, {1, 1}, {0, INT64_MAX}));
     },
     "is too much"},
    {"pad_overflow",
     [](Builder& b) {
       pad(floats(b, {4}), scalar(b, DType::float32, 0), {0}, {0}, {int64_t{1} << 61});
     },
     "4 cells that lie 2305843009213693953 apart are too many"},
    {"pool_entries",
     [](Builder& b) {
       max_pool(floats(b, {1, 4, 1}), window({3, 3}, {1, 1}));
     },
     "expected 1 entries for the spatial axes of (1, 4, 1)"},
    {"pool_integers",
     [](Builder& b) {
       max_pool(of(b, DType::uint8, {1, 4, 4, 1}), window({2, 2}, {1, 1}));
     },
     "expected floats, received uint8[1,4,4,1]"},
    {"max_pool_gradient",
     [](Builder& b) {
       max_pool_gradient(floats(b, {1, 4, 4, 1}), floats(b, {1, 4, 4, 1}), window({2, 2}, {2, 2}));
     },
     "expected a gradient float32[1,2,2,1], received float32[1,4,4,1]"},
    {"average_pool_gradient",
     [](Builder& b) {
       average_pool_gradient(floats(b, {1, 3, 2, 1}), window({2, 2}, {2, 2}), {1, 4, 4, 1});
     },
     "expected a gradient float32[1,2,2,1], received float32[1,3,2,1]"},
    {"norm_vector",
     [](Builder& b) {
       norm_of(b, {2, 4}, {3}, 1);
     },
     "expected float32[4] as operand 1, received float32[3]"},
    {"norm_batch_axis",
     [](Builder& b) {
       norm_of(b, {2, 4}, {2}, 0);
     },
     "expected an axis 1 to 1, received 0"},
    {"norm_rank", [](Builder& b) { norm_of(b, {4}, {4}, 0); },
     "expected floats of rank 2 or more, received float32[4]"},
    {"norm_valid",
     [](Builder& b) {
       norm_of(b, {2, 4}, {4}, 1, {DType::int64, {1}});
     },
     "expected the number of valid samples as int32[], received int64[1]"},
    {"norm_inference",
     [](Builder& b) {
       Expr v = floats(b, {4});
       batch_norm_inference(floats(b, {2, 4}), v, v, v, floats(b, {2}), 1, 1e-3);
     },
     "expected float32[4] as operand 4, received float32[2]"},
    {"norm_gradient",
     [](Builder& b) {
       Expr v = floats(b, {4});
       batch_norm_gradient(floats(b, {2, 4}), v, v, v, of(b, DType::int32, {}), floats(b, {4, 2}),
                           1, 1e-3);
     },
     "expected a gradient of the type of x, float32[2,4], received float32[4,2]"},
    {"softmax_axis",
     [](Builder& b) {
       softmax(floats(b, {2, 3}), 2);
     },
     "2"},
    {"softmax_integers",
     [](Builder& b) {
       log_softmax(of(b, DType::int32, {2, 3}), 1);
     },
     "expected floats, received int32[2,3]"},
    {"relu_bool", [](Builder& b) { relu(of(b, DType::boolean, {2})); },
     "expected floats, received bool[2]"},
    {"loss_shapes",
     [](Builder& b) {
       mean_squared_error(floats(b, {4, 1}), floats(b, {4, 2}));
     },
     "received float32[4,1] and float32[4,2]"},
    {"loss_of_integers",
     [](Builder& b) {
       categorical_crossentropy(of(b, DType::int32, {4, 2}), floats(b, {4, 2}), false, 0);
     },
     "received int32[4,2] and float32[4,2]"},
    {"sparse_shapes",
     [](Builder& b) {
       sparse_categorical_crossentropy(of(b, DType::int32, {4, 1}), floats(b, {4, 3}), false);
     },
     "expected one integer for each row of predictions, received int32[4,1] and float32[4,3]"},
    {"sparse_floats",
     [](Builder& b) {
       sparse_categorical_crossentropy(floats(b, {4}), floats(b, {4, 3}), false);
     },
     "expected one integer for each row of predictions, received float32[4] and float32[4,3]"},
    {"argmax_empty",
     [](Builder& b) {
       argmax(floats(b, {2, 0}), 1);
     },
     "expected a non-empty axis"},
    {"dropout_rate", [](Builder& b) { dropout(floats(b, {2}), of(b, DType::int64, {}), 1.5); },
     "expected a rate from 0 to 1, received 1.5"},
    {"dropout_key", [](Builder& b) { dropout(floats(b, {2}), of(b, DType::int32, {}), 0.5); },
     "expected floats and an int64 key, received float32[2] and int32[]"},
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, SayWhatWasExpectedAndReceived) {
  Builder build;
  try {
    GetParam().build(build);
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H701");
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Refusals, testing::ValuesIn(refusals),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace hornbeam
