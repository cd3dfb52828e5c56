// Layer: names its weights, builds its part of a graph, lists its configuration. It knows nothing
// of gradients, devices or replicas.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/constraint.h"
#include "nn/dtype_policy.h"
#include "nn/initializer.h"
#include "nn/regularizer.h"

namespace hornbeam {

// One weight of a layer and its value. The value is empty (no elements) until it is drawn or
// loaded.
struct Weight {
  std::string name;  // "kernel"
  Shape shape;
  InitializerPointer initializer;
  RegularizerPointer regularizer;
  bool trainable = true;
  Tensor value;
  ConstraintPointer constraint = nullptr;  // holds after every update
};

// What a layer sees while it builds its part of a graph.
class Trace {
 public:
  explicit Trace(Builder& builder, bool training_mode) : build(builder), training(training_mode) {}

  Builder& build;
  bool training;
  // int32 scalar: the real samples of this slice; the rest of the batch is filling.
  Expr valid;
  // int64 scalar: the random stream of this step and slice; set when training.
  Expr step_key;
  // The values of weights in this graph; a weight that is not there is its own constant value.
  std::map<const Weight*, Expr> weights;
  // New values of weights that change without a gradient, such as moving averages.
  std::map<const Weight*, Expr> updates;

  // The compute dtype of the layer that is being called.
  DType compute_dtype = DType::float32;

  Expr variable(const Weight& weight);  // in its own dtype
  Expr weight(const Weight& weight);    // cast to compute_dtype
  Expr next_key();                // an own stream for each random layer, in the order of the calls
  Expr mean_over_slices(Expr x);  // over the slices that have real samples

 private:
  int64_t keys_ = 0;
};

class Layer : public KerasObject {
 public:
  std::string name;
  bool trainable = true;
  DTypePolicy policy = float32_policy;

  // Declares the weights for inputs of these shapes (batch extent 1). Called once.
  virtual void build(std::span<const Shape> /*inputs*/) {}
  virtual Exprs call(Trace& trace, std::span<const Expr> inputs) = 0;

  // Whether integers stay integers. Other layers compute on floats, as in Keras, and are given
  // integers and booleans in their compute dtype.
  virtual bool keeps_integers() const { return false; }
  // Whether floating inputs are cast to the compute dtype.
  virtual bool autocast() const { return true; }

  // What becomes of the mask of an Embedding with mask_zero: a layer drops it, lets it pass, or
  // computes otherwise under it.
  enum class Mask { dropped, passed, used };
  virtual Mask mask() const { return Mask::dropped; }

  // The weights in Keras' order: trainable ones as declared, then the others.
  const std::vector<std::unique_ptr<Weight>>& own_weights() const { return weights_; }
  std::vector<std::unique_ptr<Weight>>& own_weights() { return weights_; }
  bool built() const { return built_; }
  void set_built() { built_ = true; }

 protected:
  Weight& declare(std::string weight_name, Shape shape, InitializerPointer first,
                  RegularizerPointer penalty = nullptr, bool is_trainable = true);
  const Weight& own(std::string_view weight_name) const;
  // Keys that every layer's configuration may hold.
  void common_fields(Fields& f);

 private:
  std::vector<std::unique_ptr<Weight>> weights_;
  bool built_ = false;
};

// What a layer makes of its inputs, cast as its policy says; builds it first when it is not built.
Exprs call_layer(Layer& layer, Trace& trace, std::span<const Expr> inputs);

const ObjectTable<Layer>& layers();
// A layer of a class with a configuration; H110, H111.
std::shared_ptr<Layer> make_layer(std::string_view class_name, const Json& config,
                                  const std::string& place);

[[noreturn]] void refuse_shape(
    const std::string& message);  // H114; the place is added by the model
void require_rank(std::span<const Shape> inputs, int64_t rank);
void require_inputs(std::span<const Shape> inputs, size_t count);

}  // namespace hornbeam
