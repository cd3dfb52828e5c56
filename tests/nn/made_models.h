// Models made in tests, call by call, as code of Keras' functional interface makes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/model.h"

namespace hornbeam {

// A layer from the text of its configuration.
inline std::shared_ptr<Layer> layer_of(std::string_view class_name, const std::string& config) {
  return make_layer(class_name, parse_json(config, "test"), "model");
}

class MadeModel {
 public:
  MadeModel() : model_(std::make_shared<Model>()) {}

  TensorRef input(const std::string& name, const std::string& batch_shape) {
    TensorRef ref = call(layer_of("InputLayer", R"({"name": ")" + name + R"(", "batch_shape": )" +
                                                    batch_shape + "}"),
                         {});
    model_->inputs.push_back(ref);
    return ref;
  }

  TensorRef call(std::shared_ptr<Layer> layer, std::vector<TensorRef> inputs) {
    model_->calls.push_back({std::move(layer), std::move(inputs)});
    return {model_->calls.size() - 1, 0};
  }

  TensorRef call(std::string_view class_name, const std::string& config,
                 std::vector<TensorRef> inputs) {
    return call(layer_of(class_name, config), std::move(inputs));
  }

  // Built when the inputs declare their shapes.
  std::shared_ptr<Model> done(std::vector<TensorRef> outputs) {
    model_->outputs = std::move(outputs);
    if (auto shapes = model_->declared_shapes()) model_->build_for(*shapes);
    return model_;
  }

 private:
  std::shared_ptr<Model> model_;
};

}  // namespace hornbeam
