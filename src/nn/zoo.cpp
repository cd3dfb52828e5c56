#include "nn/zoo.h"

#include "nn/layers/basic.h"
#include "nn/layers/normalization.h"
#include "nn/layers/picture.h"
#include "nn/names.h"

namespace hornbeam {
namespace {

// Adds layers to a Sequential model, with Keras' automatic names: conv2d, conv2d_1, …
class Stack {
 public:
  Stack(std::string_view name, Shape input) : model_(std::make_shared<Model>()) {
    model_->sequential = true;
    model_->name = name;
    auto layer = std::make_shared<InputLayer>();
    layer->shape = std::move(input);
    append(layer);
  }

  template <class T, class... Arguments>
  T& add(Arguments... arguments) {
    auto layer = std::make_shared<T>(arguments...);
    append(layer);
    return *layer;
  }

  void dense(int64_t units, std::string_view activation = "linear") {
    Dense& layer = add<Dense>();
    layer.units = units;
    layer.activation = Activation(activation);
  }

  void convolution(int64_t filters, int64_t window, std::string_view padding,
                   std::string_view activation = "linear") {
    Conv2D& layer = add<Conv2D>();
    layer.filters = filters;
    layer.kernel_size = {window, window};
    layer.padding = padding;
    layer.activation = Activation(activation);
  }

  void average_pooling() { add<Pooling2D>(false); }

  void normalised_relu() {
    add<BatchNormalization>();
    add<ActivationLayer>().activation = Activation("relu");
  }

  std::shared_ptr<Model> done() {
    model_->inputs = {{0, 0}};
    model_->outputs = {{model_->calls.size() - 1, 0}};
    model_->build_for(*model_->declared_shapes());
    return model_;
  }

 private:
  void append(std::shared_ptr<Layer> layer) {
    layer->name = names_(layer->class_name());
    std::vector<TensorRef> inputs;
    if (!model_->calls.empty()) inputs.push_back({model_->calls.size() - 1, 0});
    model_->calls.push_back({std::move(layer), std::move(inputs)});
    if (model_->calls.size() == 1) model_->inputs = {{0, 0}};
  }

  std::shared_ptr<Model> model_;
  AutomaticNames names_;
};

// The multilayer perceptron of the article of 2018.
std::shared_ptr<Model> article_mlp() {
  Stack stack("article-mlp", {3072});
  for (int64_t units : {2048, 1024, 512, 256, 128, 64, 32, 16}) {
    stack.dense(units);
    stack.normalised_relu();
    stack.add<Dropout>().rate = 0.5;
  }
  stack.dense(10, "softmax");
  return stack.done();
}

// Its convolutional network.
std::shared_ptr<Model> article_cnn() {
  Stack stack("article-cnn", {32, 32, 3});
  auto block = [&](int64_t filters) {
    stack.convolution(filters, 3, "same");
    stack.normalised_relu();
  };
  block(96);
  stack.average_pooling();
  block(256);
  stack.average_pooling();
  for (int64_t filters : {384, 384, 256}) block(filters);
  stack.add<Flatten>();
  stack.dense(10, "softmax");
  return stack.done();
}

// LeNet-5 (LeCun, Bottou, Bengio and Haffner, 1998) with a softmax.
std::shared_ptr<Model> lenet() {
  Stack stack("lenet", {28, 28, 1});
  stack.convolution(6, 5, "same", "tanh");
  stack.average_pooling();
  stack.convolution(16, 5, "valid", "tanh");
  stack.average_pooling();
  stack.add<Flatten>();
  stack.dense(120, "tanh");
  stack.dense(84, "tanh");
  stack.dense(10, "softmax");
  return stack.done();
}

const ZooEntry entries[] = {
    {"article-mlp", "dense layers 2048 to 16 with batch normalisation and dropout; CIFAR-10",
     article_mlp},
    {"article-cnn", "five 3x3 convolutions with batch normalisation; CIFAR-10", article_cnn},
    {"lenet", "LeNet-5; MNIST", lenet},
};

}  // namespace

std::span<const ZooEntry> zoo() { return entries; }

std::shared_ptr<Model> zoo_model(std::string_view name) {
  std::vector<std::string_view> known;
  for (const ZooEntry& entry : entries) {
    if (entry.name == name) return entry.make();
    known.push_back(entry.name);
  }
  refuse_name(name, "built-in model", "zoo:" + std::string(name), known);
}

}  // namespace hornbeam
