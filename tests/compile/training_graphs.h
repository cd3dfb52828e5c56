// Small training steps, built as a front end would build them, for tests of passes and backends.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam::testing_graphs {

// Collects the state of a step and its update.
class Step {
 public:
  Step() : build(true) {}

  Expr weight(const std::string& name, Shape shape) {
    weights_.push_back({name, build.input(name, {DType::float32, std::move(shape)}, Role::state)});
    return weights_.back().second;
  }

  // Adam without bias correction; the gradient is summed over the replicas.
  Graph finish(Expr loss, double samples) {
    std::vector<Expr> inputs;
    for (const auto& [name, weight] : weights_) inputs.push_back(weight);
    Expr rate = build.input("rate", {DType::float32, {}}, Role::parameter);
    std::vector<Expr> slopes = gradients(loss, inputs);
    build.set_scope("optimizer");
    for (size_t i = 0; i < weights_.size(); ++i) {
      const auto& [name, w] = weights_[i];
      Expr g = all_reduce(slopes[i]) * (1 / samples);
      Expr m = build.input(name + "/m", w.type(), Role::state);
      Expr v = build.input(name + "/v", w.type(), Role::state);
      Expr new_m = m + (g - m) * 0.1;
      Expr new_v = v + (g * g - v) * 0.001;
      build.output(name + "/m", new_m, Role::state);
      build.output(name + "/v", new_v, Role::state);
      build.output(name, w - rate * new_m / (sqrt(new_v) + 1e-3), Role::state);
    }
    build.output("loss", all_reduce(loss) * (1 / samples), Role::result);
    return build.finish();
  }

  Builder build;

 private:
  std::vector<std::pair<std::string, Expr>> weights_;
};

// uint8 pictures of 6 numbers, a layer of 10 with relu and dropout, 4 classes.
inline Graph mlp_step(int64_t slice, int64_t replicas) {
  Step step;
  Builder& build = step.build;
  Expr x = build.input("x", {DType::uint8, {slice, 6}}, Role::batch);
  Expr label = build.input("label", {DType::int32, {slice}}, Role::batch);
  Expr key = build.input("key", {DType::int64, {}}, Role::parameter);
  build.set_scope("dense_1");
  Expr h = convert(x, DType::float32) * (1.0 / 255);
  h = relu(dot(h, step.weight("w1", {6, 10})) + step.weight("b1", {10}));
  build.set_scope("dropout");
  h = dropout(h, fold_in(key, replica_id(build)), 0.25);
  build.set_scope("dense_2");
  Expr y = dot(h, step.weight("w2", {10, 4})) + step.weight("b2", {4});
  build.output("logits", y, Role::batch);
  build.set_scope("loss");
  Expr loss = sum_all(sparse_categorical_crossentropy(label, y, true));
  return step.finish(loss, static_cast<double>(slice * replicas));
}

// 8x8 pictures: convolution, batch normalisation, relu, max pool, convolution with stride, average
// pool, dense with softmax.
inline Graph cnn_step(int64_t slice, int64_t replicas,
                      const std::string& data_format = "channels_last") {
  Step step;
  Builder& build = step.build;
  bool last = data_format == "channels_last";
  int64_t axis = last ? 3 : 1;
  Shape picture = last ? Shape{slice, 8, 8, 3} : Shape{slice, 3, 8, 8};
  Expr x = build.input("x", {DType::float32, picture}, Role::batch);
  Expr target = build.input("target", {DType::float32, {slice, 5}}, Role::batch);
  Expr valid = build.input("valid", {DType::int32, {}}, Role::parameter);
  build.set_scope("conv_1");
  Expr h = conv(x, step.weight("k1", {3, 3, 3, 6}),
                {.strides = {1, 1},
                 .padding_low = {1, 1},
                 .padding_high = {1, 1},
                 .dilation = {1, 1},
                 .data_format = data_format});
  Expr bias = step.weight("c1", {6});
  h = h + broadcast_in_dim(bias, Shape(h.shape()), {axis});
  build.set_scope("norm");
  BatchNormResult norm = batch_norm_training(h, step.weight("gamma", {6}), step.weight("beta", {6}),
                                             valid, axis, 1e-3);
  Expr moving = build.input("mean", {DType::float32, {6}}, Role::state);
  Expr mean = all_reduce(norm.mean) * (1.0 / static_cast<double>(replicas));
  build.output("mean", moving * 0.9 + mean * 0.1, Role::state);
  h = relu(norm.y);
  build.set_scope("pool_1");
  h = max_pool(h, {.window = {2, 2},
                   .strides = {2, 2},
                   .padding_low = {0, 0},
                   .padding_high = {0, 0},
                   .data_format = data_format});
  build.set_scope("conv_2");
  h = tanh(conv(h, step.weight("k2", {2, 2, 6, 4}),
                {.strides = {2, 1},
                 .padding_low = {0, 0},
                 .padding_high = {0, 1},
                 .dilation = {1, 1},
                 .data_format = data_format}));
  build.set_scope("pool_2");
  h = average_pool(h, {.window = {2, 2},
                       .strides = {1, 2},
                       .padding_low = {0, 0},
                       .padding_high = {0, 0},
                       .data_format = data_format});
  if (!last) h = transpose(h, {0, 2, 3, 1});
  build.set_scope("dense");
  int64_t features = h.shape().elements() / slice;
  h = reshape(h, {slice, features});
  Expr y = softmax(dot(h, step.weight("w", {features, 5})) + step.weight("b", {5}), 1);
  build.output("y", y, Role::batch);
  build.set_scope("loss");
  Expr loss = sum_all(categorical_crossentropy(target, y, false, 0));
  return step.finish(loss, static_cast<double>(slice * replicas));
}

// A simple recurrent layer over 5 steps: scan and its gradient; a table of 7 rows before it.
inline Graph recurrent_step(int64_t slice, int64_t replicas) {
  Step step;
  Builder& build = step.build;
  Expr label = build.input("label", {DType::int32, {slice, 5}}, Role::batch);
  build.set_scope("embedding");
  Expr x = transpose(gather(step.weight("table", {7, 3}), label), {1, 0, 2});
  build.set_scope("recurrent");
  Builder body(true);
  Expr w = body.input("w", {DType::float32, {4, 4}});
  Expr u = body.input("u", {DType::float32, {3, 4}});
  Expr h = body.input("h", {DType::float32, {slice, 4}});
  Expr element = body.input("x", {DType::float32, {slice, 3}});
  Expr next = tanh(dot(h, w) + dot(element, u));
  body.output("h", next);
  body.output("y", next);
  Exprs weights{step.weight("w", {4, 4}), step.weight("u", {3, 4})};
  Exprs start{full(build, {DType::float32, {slice, 4}}, 0)}, sequences{x};
  Exprs results =
      scan(body.finish(), {.constants = weights, .carries = start, .sequences = sequences}, 5);
  build.output("y", transpose(results[1], {1, 0, 2}), Role::batch);
  build.set_scope("loss");
  return step.finish(sum_all(results[0] * results[0]) + sum_all(results[1]),
                     static_cast<double>(slice * replicas));
}

// The networks of the article on 32x32 pictures with 10 classes, as deep and wide as they are.
class ArticleStep : public Step {
 public:
  ArticleStep(int64_t samples, int64_t features)
      : samples_(samples),
        x(build.input("x", {DType::uint8, {samples, features}}, Role::batch)),
        label_(build.input("label", {DType::int32, {samples}}, Role::batch)),
        valid_(build.input("valid", {DType::int32, {}}, Role::parameter)),
        key_(build.input("key", {DType::int64, {}}, Role::parameter)) {
    x = convert(x, DType::float32) * (1.0 / 255);
  }

  void conv_block(int64_t filters) {
    std::string name = next("conv");
    ConvAttributes same{
        .strides = {1, 1}, .padding_low = {1, 1}, .padding_high = {1, 1}, .dilation = {1, 1}};
    Expr kernel = weight(name + "/kernel", {3, 3, x.shape()[3], filters});
    x = conv(x, kernel, same) + weight(name + "/bias", {filters});
    norm_and_relu();
  }

  void dense(int64_t units) {
    std::string name = next("dense");
    x = dot(x, weight(name + "/kernel", {x.shape()[1], units})) + weight(name + "/bias", {units});
  }

  void norm_and_relu() {
    std::string name = next("norm");
    Shape vector{x.shape()[x.rank() - 1]};
    BatchNormResult norm =
        batch_norm_training(x, weight(name + "/gamma", vector), weight(name + "/beta", vector),
                            valid_, x.rank() - 1, 1e-3);
    move(name + "/moving_mean", norm.mean);
    move(name + "/moving_variance", norm.variance);
    x = relu(norm.y);
  }

  void halve() {
    build.set_scope("pool");
    x = average_pool(
        x, {.window = {2, 2}, .strides = {2, 2}, .padding_low = {0, 0}, .padding_high = {0, 0}});
  }

  void drop_half() {
    Expr place = build.constant(Tensor::scalar(static_cast<int64_t>(++layers_)));
    x = dropout(x, fold_in(key_, place), 0.5);
  }

  Graph finish_with_softmax() {
    build.set_scope("loss");
    Expr loss = sum_all(sparse_categorical_crossentropy(label_, softmax(x, 1), false));
    return finish(loss, static_cast<double>(samples_));
  }

 private:
  std::string next(const std::string& kind) {
    std::string name = kind + "_" + std::to_string(++layers_);
    build.set_scope(name);
    return name;
  }

  void move(const std::string& name, Expr statistic) {
    Expr moving = build.input(name, statistic.type(), Role::state);
    build.output(name, moving * 0.99 + all_reduce(statistic) * 0.01, Role::state);
  }

  int64_t samples_;
  int layers_ = 0;

 public:
  Expr x;

 private:
  Expr label_, valid_, key_;
};

inline Graph article_cnn_step(int64_t samples) {
  ArticleStep step(samples, 3072);
  step.x = reshape(step.x, {samples, 32, 32, 3});
  step.conv_block(96);
  step.halve();
  step.conv_block(256);
  step.halve();
  for (int64_t filters : {384, 384, 256}) step.conv_block(filters);
  step.x = reshape(step.x, {samples, 64 * 256});
  step.dense(10);
  return step.finish_with_softmax();
}

inline Graph article_mlp_step(int64_t samples) {
  ArticleStep step(samples, 3072);
  for (int64_t units : {2048, 1024, 512, 256, 128, 64, 32, 16}) {
    step.dense(units);
    step.norm_and_relu();
    step.drop_half();
  }
  step.dense(10);
  return step.finish_with_softmax();
}

// Inputs for such a graph: numbers from -1 to 1, second moments positive, `valid` samples.
inline std::vector<Tensor> inputs_for(const Graph& graph, int32_t valid = 1 << 30) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<Tensor> inputs;
  for (const Port& port : graph.inputs()) {
    const Type& type = graph.type(port.value);
    Tensor tensor(type.dtype, type.shape);
    bool positive = port.name.ends_with("/v") || port.name == "target";
    if (type.dtype == DType::float32)
      for (float& value : tensor.values<float>())
        value = positive ? std::abs(number(random)) : number(random);
    if (type.dtype == DType::uint8)
      for (uint8_t& value : tensor.values<uint8_t>()) value = static_cast<uint8_t>(random());
    if (port.name == "label")
      for (int32_t& value : tensor.values<int32_t>()) value = static_cast<int32_t>(random() % 4);
    if (port.name == "valid") tensor.values<int32_t>()[0] = valid;
    if (port.name == "key") tensor.values<int64_t>()[0] = 123456789;
    if (port.name == "rate") tensor.values<float>()[0] = 0.01f;
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

// The largest difference of two tensors of floats, relative to the largest number.
inline double distance(const Tensor& a, const Tensor& b) {
  Tensor left = a.converted(DType::float64), right = b.converted(DType::float64);
  double difference = 0, size = 1e-30;
  for (int64_t i = 0; i < a.elements(); ++i) {
    double x = left.values<double>()[static_cast<size_t>(i)];
    double y = right.values<double>()[static_cast<size_t>(i)];
    difference = std::max(difference, x == y ? 0.0 : std::abs(x - y));
    size = std::max(size, std::abs(y));
  }
  return difference / size;
}

}  // namespace hornbeam::testing_graphs
