#include "train/device_state.h"

#include <fmt/format.h>

#include <cstring>

namespace hornbeam {
namespace {

constexpr std::string_view iteration_name = "iteration";

std::string weight_name(const ModelWeight& weight) { return "weight/" + weight.path; }

TensorSource zeros(const Shape& shape) {
  return {DType::float32, shape, [](int64_t /*first*/, std::span<std::byte> part) {
            std::memset(part.data(), 0, part.size());
          }};
}

}  // namespace

DeviceState::DeviceState(Model& model, OptimizerPointer optimizer, Backend& backend)
    : model_(model), optimizer_(std::move(optimizer)), backend_(backend) {
  if (optimizer_ != nullptr) optimizer_state_.learning_rate = optimizer_->learning_rate;
}

void DeviceState::set_optimizer(OptimizerState state) {
  if (!buffers_.empty()) download();
  optimizer_state_ = std::move(state);
  buffers_.clear();
}

// Those of every trained weight.
std::vector<DeviceState::Slot> DeviceState::slots() const {
  std::vector<Slot> all;
  if (optimizer_ == nullptr) return all;
  const std::vector<std::string> names = optimizer_->slots();
  size_t trained = 0;
  for (const ModelWeight& each : model_.weights()) {
    if (!each.trained) continue;
    for (size_t i = 0; i < names.size(); ++i)
      all.push_back({fmt::format("slot/{}/{}", each.path, names[i]), each.weight, trained, i});
    ++trained;
  }
  return all;
}

// What of the state has a tensor on the host.
std::map<std::string, Tensor*> DeviceState::host_values() {
  std::map<std::string, Tensor*> values;
  for (const ModelWeight& each : model_.weights()) values[weight_name(each)] = &each.weight->value;
  if (optimizer_state_.slots.empty()) return values;
  for (const Slot& slot : slots())
    values[slot.name] = &optimizer_state_.slots.at(slot.weight_number).at(slot.number);
  return values;
}

Buffer DeviceState::buffer(const std::string& name, const Type& type) {
  if (auto found = buffers_.find(name); found != buffers_.end()) return found->second;
  std::map<std::string, Tensor*> values = host_values();
  Tensor first_iteration = Tensor::scalar(optimizer_state_.iteration);
  values[std::string(iteration_name)] = &first_iteration;
  auto value = values.find(name);
  return buffers_[name] = value == values.end() ? backend_.allocate(type, Role::state)
                                                : backend_.upload(std::move(*value->second));
}

void DeviceState::download() {
  if (optimizer_ != nullptr && optimizer_state_.slots.empty())
    optimizer_state_.slots = fresh_state(*optimizer_, model_).slots;
  for (const auto& [name, value] : host_values())
    if (auto found = buffers_.find(name); found != buffers_.end())
      *value = backend_.download(found->second);
  optimizer_state_.iteration = iteration();
}

int64_t DeviceState::iteration() const {
  auto found = buffers_.find(std::string(iteration_name));
  if (found == buffers_.end()) return optimizer_state_.iteration;
  return backend_.download(found->second).values<int64_t>()[0];
}

// On the backend, or on the host while no step has wanted it, or fresh.
TensorSource DeviceState::source(const std::string& name, const Shape& shape,
                                 const Tensor* host) const {
  auto found = buffers_.find(name);
  if (found == buffers_.end()) return host != nullptr ? source_of(*host) : zeros(shape);
  return {found->second->type().dtype, shape,
          [this, buffer = found->second](int64_t first, std::span<std::byte> part) {
            backend_.download(*buffer, first, part);
          }};
}

StateSources DeviceState::sources() const {
  StateSources all;
  for (const ModelWeight& each : model_.weights())
    all.weights[each.weight] = source(weight_name(each), each.weight->shape, &each.weight->value);
  if (optimizer_ == nullptr) return all;
  all.optimizer = {iteration(), learning_rate(), {}};
  for (const Slot& slot : slots()) {
    all.optimizer->slots.resize(slot.weight_number + 1);
    const bool on_host = !optimizer_state_.slots.empty();
    all.optimizer->slots.back().push_back(
        source(slot.name, slot.weight->shape,
               on_host ? &optimizer_state_.slots.at(slot.weight_number).at(slot.number) : nullptr));
  }
  return all;
}

}  // namespace hornbeam
