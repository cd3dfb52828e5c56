// DeviceState: the weights of a model and the state of its optimizer on a backend.
//
// A state moves there with the first step that wants it, and the host's tensor becomes empty: it is
// never in memory twice. Slots that nobody gave are zero from the start and need no host's tensor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/compile_state.h"
#include "runtime/backend.h"

namespace hornbeam {

class DeviceState {
 public:
  // Without an optimizer there are no slots. Model and backend must outlive this.
  DeviceState(Model& model, OptimizerPointer optimizer, Backend& backend);

  // The optimizer's state to go on from; buffers that were given out are no longer those of the
  // state.
  void set_optimizer(OptimizerState state);
  double learning_rate() const { return optimizer_state_.learning_rate; }

  // The buffer of a state by the name of its input in a step.
  Buffer buffer(const std::string& name, const Type& type);

  // Brings copies back, into the model and the optimizer's state.
  void download();
  const OptimizerState& optimizer_state() const { return optimizer_state_; }
  // The same state read where it is; valid until the next step.
  StateSources sources() const;

 private:
  struct Slot {
    std::string name;  // of the input
    const Weight* weight;
    size_t weight_number, number;
  };

  std::vector<Slot> slots() const;
  std::map<std::string, Tensor*> host_values();
  int64_t iteration() const;
  TensorSource source(const std::string& name, const Shape& shape, const Tensor* host) const;

  Model& model_;
  OptimizerPointer optimizer_;
  Backend& backend_;
  OptimizerState optimizer_state_;
  std::map<std::string, Buffer> buffers_;
};

}  // namespace hornbeam
