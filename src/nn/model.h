// Model: a graph of layer calls, Sequential or Functional. It is a layer itself, so models nest.
#pragma once

#include <optional>

#include "nn/layer.h"

namespace hornbeam {

// Output `output` of call number `call`.
struct TensorRef {
  size_t call = 0;
  size_t output = 0;
  bool operator==(const TensorRef&) const = default;
};

// One use of a layer. Calls stand in order: those that give the inputs come before.
struct LayerCall {
  std::shared_ptr<Layer> layer;
  std::vector<TensorRef> inputs;
  std::vector<Shape> output_shapes =
      {};  // for one sample (batch extent 1), once the model is built
};

struct ModelWeight {
  std::string path;  // "dense/kernel", "encoder/dense/kernel"
  Weight* weight = nullptr;
  bool trained = true;
};

class Model : public Layer {
 public:
  bool sequential = false;
  std::vector<LayerCall> calls;
  std::vector<TensorRef> inputs, outputs;
  // How a file nests them, which Keras asks of what it is called with: the number of one, or a list
  // or object of those. Null where no file said it.
  Json input_structure, output_structure;

  std::string_view class_name() const override { return sequential ? "Sequential" : "Functional"; }
  void build(std::span<const Shape> shapes) override;
  bool keeps_integers() const override { return true; }
  bool autocast() const override { return false; }  // its input layers say their dtypes
  Exprs call(Trace& trace, std::span<const Expr> given) override;

  // Every layer once, in the order of Keras' model.layers (for a graph: by depth from the outputs).
  std::vector<std::shared_ptr<Layer>> layers() const;
  const std::string& input_name(size_t number) const;
  // The layer whose call gives an output; losses and metrics of several outputs are named after it.
  const std::string& output_name(size_t number) const;
  // The shapes that the inputs declare, with a batch extent of 1; empty when one is not declared or
  // leaves an extent open.
  std::optional<std::vector<Shape>> declared_shapes() const;

  // The shapes of the outputs for one sample (batch extent 1), once the model is built.
  const std::vector<Shape>& output_shapes() const { return output_shapes_; }

  // Builds all layers for the shapes of a sample (batch extent 1). Throws H114 with the layer's
  // place.
  void build_for(std::span<const Shape> shapes);
  // All weights in Keras' order; one that is reached twice has its first place. As Keras has it of
  // a model that it reads, a weight is trained when its own layer is trainable, whatever the models
  // around that layer say: freezing a model in Keras freezes its layers, which may be freed again.
  // Only an outermost graph that is not trainable trains nothing; Sequential loses that flag.
  std::vector<ModelWeight> weights();
  int64_t parameters();
  // Gives the policy to every layer that has the default one, float32, as if it had been Keras'
  // global policy when the model was made. Input layers keep their dtype.
  void set_dtype_policy(const DTypePolicy& global);
  // The names of its layers' policies, each once: "float32", "float32, mixed_bfloat16".
  std::string policy_names() const;
  // Draws a first value for every weight that has none, and says for how many.
  int64_t initialize(uint64_t seed);

 private:
  std::vector<Shape> output_shapes_;
  void collect(const std::string& prefix, std::vector<ModelWeight>& all);
};

}  // namespace hornbeam
