// What the type rules of the core ops refuse (H701), one row at least for each; and ops without a
// gradient (H703).
#include <gtest/gtest.h>

#include <set>

#include "ops/all.h"
#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

struct Refusal {
  const OpDef* op;
  Types operands;
  Attrs attrs;
  std::string message;  // a part of it
};

Type floats(Shape shape) { return {DType::float32, std::move(shape)}; }
Type integers(Shape shape) { return {DType::int32, std::move(shape)}; }
const Type truth{DType::boolean, {2}};

std::vector<Refusal> elementwise_refusals() {
  std::vector<Refusal> all;
  for (const OpDef* op : {&ceil_op, &cosine_op, &exponential_op, &exponential_minus_one_op,
                          &floor_op, &is_finite_op, &log_op, &log_plus_one_op, &logistic_op,
                          &round_nearest_even_op, &rsqrt_op, &sine_op, &sqrt_op, &tanh_op})
    all.push_back({op, {integers({2})}, {}, "received int32[2]"});
  for (const OpDef* op : {&abs_op, &negate_op, &sign_op, &all_reduce_op})
    all.push_back({op, {truth}, {}, "received bool[2]"});
  all.push_back({&not_op, {floats({2})}, {}, "received float32[2]"});
  for (const OpDef* op : {&add_op, &divide_op, &maximum_op, &minimum_op, &multiply_op, &power_op,
                          &remainder_op, &subtract_op})
    all.push_back({op, {floats({2}), floats({3})}, {}, "received float32[2] and float32[3]"});
  for (const OpDef* op : {&and_op, &or_op, &xor_op, &shift_left_op, &shift_right_logical_op})
    all.push_back({op, {floats({2}), floats({2})}, {}, "received float32[2]"});
  return all;
}

std::vector<Refusal> structural_refusals() {
  Type x = floats({2, 3});
  return {
      {&compare_op, {x, x}, {{"direction", "XX"}}, "direction EQ NE LT LE GT GE, received 'XX'"},
      {&select_op, {truth, x, x}, {}, "received bool[2], float32[2,3] and float32[2,3]"},
      {&convert_op, {x, x}, {{"dtype", "int32"}}, "expected 1 operands, received 2"},
      {&iota_op,
       {},
       {{"dtype", "int32"}, {"shape", Integers{2}}, {"dimension", int64_t{1}}},
       "expected a dimension of int32[2], received 1"},
      {&broadcast_in_dim_op,
       {x},
       {{"shape", Integers{2, 4}}, {"dimensions", Integers{0, 1}}},
       "float32[2,3] cannot be broadcast to (2, 4) along [0,1]"},
      {&concatenate_op, {x, floats({2, 3, 1})}, {{"dimension", int64_t{0}}}, "does not fit"},
      {&dynamic_slice_op, {x, integers({})}, {{"sizes", Integers{1, 1}}}, "scalar for each axis"},
      {&dynamic_update_slice_op,
       {x, integers({1, 1}), integers({}), integers({})},
       {},
       "int32[1,1]"},
      {&pad_op,
       {x, floats({1})},
       {{"low", Integers{0, 0}}, {"high", Integers{0, 0}}, {"interior", Integers{0, 0}}},
       "expected a scalar float32 to pad with, received float32[1]"},
      {&reshape_op, {x}, {{"shape", Integers{5}}}, "float32[2,3] cannot be reshaped to (5)"},
      {&optimization_barrier_op, {x, x}, {}, "1"},
      {&reverse_op, {x}, {{"dimensions", Integers{2}}}, "are not distinct axes"},
      {&slice_op,
       {x},
       {{"starts", Integers{0, 0}}, {"limits", Integers{2, 4}}, {"strides", Integers{1, 1}}},
       "[0,0] to [2,4] by [1,1] is no slice of float32[2,3]"},
      {&transpose_op, {x}, {{"permutation", Integers{0, 0}}}, "permutation"},
  };
}

Attrs window(Integers extents, const char* kind = nullptr) {
  Attrs attrs{{"window_dimensions", std::move(extents)},
              {"window_strides", Integers{1, 1}},
              {"padding_low", Integers{0, 0}},
              {"padding_high", Integers{0, 0}}};
  if (kind == nullptr) return attrs;
  return {{"kind", kind},
          {"window_dimensions", attrs.integers("window_dimensions")},
          {"window_strides", Integers{1, 1}},
          {"padding_low", Integers{0, 0}},
          {"padding_high", Integers{0, 0}},
          {"base_dilations", Integers{1, 1}},
          {"window_dilations", Integers{1, 1}}};
}

Attrs contracting(Integers lhs, Integers rhs) {
  return {{"lhs_batching", Integers{}},
          {"rhs_batching", Integers{}},
          {"lhs_contracting", std::move(lhs)},
          {"rhs_contracting", std::move(rhs)}};
}

Attrs convolution_of(const char* dimension_numbers, int64_t groups = 1) {
  return {{"window_strides", Integers{1, 1}}, {"padding_low", Integers{0, 0}},
          {"padding_high", Integers{0, 0}},   {"lhs_dilation", Integers{1, 1}},
          {"rhs_dilation", Integers{1, 1}},   {"dimension_numbers", dimension_numbers},
          {"feature_group_count", groups},    {"batch_group_count", int64_t{1}}};
}

std::vector<Refusal> other_refusals() {
  Type x = floats({2, 3}), picture = floats({1, 4, 4, 3}), kernel = floats({3, 3, 3, 2});
  Type key{DType::int64, {}};
  return {
      {&reduce_op, {x}, {{"kind", "median"}, {"dimensions", Integers{0}}}, "'median'"},
      {&reduce_op, {truth}, {{"kind", "add"}, {"dimensions", Integers{0}}}, "does not take bool"},
      {&reduce_window_op, {x}, window({1, 1}, "multiply"), "received float32[2,3], 'multiply'"},
      {&reduce_window_op, {x}, window({1}, "add"), "one window entry for each axis"},
      {&select_and_scatter_op, {x, x}, window({2, 2}), "received float32[2,3] and float32[2,3]"},
      {&dot_general_op, {x, x}, contracting({1}, {0}), "axes of float32[2,3] and float32[2,3]"},
      {&dot_general_op, {x, integers({3, 2})}, contracting({1}, {0}), "of one type"},
      {&convolution_op, {picture, kernel}, convolution_of("b01f"), "received 'b01f'"},
      {&convolution_op,
       {picture, kernel},
       convolution_of("b01f_01io->b01f", 2),
       "3 channels in 2 groups do not fit"},
      {&gather_op, {x, floats({2})}, {}, "received float32[2,3] and float32[2]"},
      {&scatter_op, {integers({3}), x}, {{"rows", int64_t{4}}}, "int32[3] and float32[2,3]"},
      {&random_bits_op,
       {key, integers({})},
       {{"shape", Integers{2}}},
       "received int64[] and int32[]"},
      {&replica_id_op, {x}, {}, "expected 0 operands, received 1"},
  };
}

std::vector<Refusal> all_refusals() {
  std::vector<Refusal> all = elementwise_refusals();
  for (auto more : {structural_refusals(), other_refusals()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(CoreRefusals, SayWhatWasExpectedAndReceived) {
  for (const Refusal& refusal : all_refusals()) {
    Builder build;
    Exprs operands;
    for (const Type& type : refusal.operands)
      operands.push_back(build.input("x" + std::to_string(operands.size()), type));
    try {
      build.add(*refusal.op, operands, refusal.attrs);
      ADD_FAILURE() << refusal.op->name << " was not refused: " << refusal.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.code().name, "H701") << refusal.op->name;
      EXPECT_NE(std::string(error.what()).find(refusal.message), std::string::npos)
          << refusal.op->name << ": " << error.what();
    }
  }
}

Graph doubling(DType out) {
  Builder build;
  Expr x = build.input("x", floats({2}));
  build.output("y", convert(x * 2, out));
  return build.finish();
}

TEST(CoreRefusals, OfLoopsNameTheTypes) {
  Builder build;
  Expr x = build.input("x", floats({2}));
  Exprs state{x};
  EXPECT_THROW(while_loop(doubling(DType::float32), doubling(DType::float32), state), Error);
  EXPECT_THROW(scan(doubling(DType::int32), {.carries = state}, 3), Error);
}

TEST(CoreRefusals, CoverEveryCoreOp) {
  std::set<const OpDef*> seen{&constant_op, &scan_op, &while_op};  // a constant takes anything
  for (const Refusal& refusal : all_refusals()) seen.insert(refusal.op);
  for (const OpDef* op : all_ops())
    EXPECT_TRUE(op->expand != nullptr || seen.contains(op)) << op->name << " has no refusal";
}

void expect_no_gradient(Expr y, Expr x) {
  try {
    gradients(sum_all(y), std::vector<Expr>{x});
    FAIL() << "there is a gradient";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H703") << error.what();
  }
}

TEST(NoGradient, IsAnErrorThatNamesTheOp) {
  Builder build(true);
  Expr x = build.input("x", floats({2, 3}));
  expect_no_gradient(remainder(x, x), x);
  expect_no_gradient(reduce(x, "multiply", {1}), x);
}

}  // namespace
}  // namespace hornbeam
