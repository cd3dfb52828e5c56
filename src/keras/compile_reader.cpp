#include "keras/compile_reader.h"

#include <fmt/format.h>

#include "base/error.h"
#include "keras/legacy_names.h"
#include "keras/legacy_weights.h"
#include "keras/weight_paths.h"

namespace hornbeam {
namespace {

// What tf.keras 2.11 to 2.15 put before the names of its own optimizers.
constexpr std::string_view registered_prefix = "Custom>";

const Json* present(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void read_optimizer(const Json& json, const std::string& place, SavedModel& saved) {
  try {
    ObjectForm form = object_form(json, "optimizer", place);
    if (form.name.starts_with(registered_prefix)) form.name.erase(0, registered_prefix.size());
    Json modern = Json::object(
        {{"class_name", form.name}, {"config", modern_optimizer_config(std::move(form.config))}});
    saved.compile->optimizer = optimizer_by_name(modern, place);
  } catch (const Error& error) {
    saved.optimizer_problem = error.at(place);
  }
}

void leave_out(SavedModel& saved, const std::string& why) {
  saved.notes.push_back("the optimizer's state in the file is left out: " + why);
}

// Datasets of a group by their names, read one at a time: all at once they would stand in memory
// beside the slots that they become.
struct Stored {
  const Hdf5Group& group;
  std::vector<std::string> names;

  size_t size() const { return names.size(); }
  Shape shape(size_t i) const { return group.shape(names[i]); }
  Tensor read(size_t i) const { return group.dataset(names[i]); }
  bool starts_with_scalar() const { return !names.empty() && shape(0).rank() == 0; }
  Tensor take_first() {
    Tensor first = read(0);
    names.erase(names.begin());
    return first;
  }
};

// Reads what is stored into slots; says why not when the two are not alike.
std::string fill(std::span<Tensor* const> slots, const Stored& stored) {
  if (slots.size() != stored.size())
    return fmt::format("the optimizer has {} slots for this model, the file {}", slots.size(),
                       stored.size());
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i]->shape() != stored.shape(i))
      return fmt::format("slot {} has shape {}, the file {}", i, to_string(slots[i]->shape()),
                         to_string(stored.shape(i)));
  for (size_t i = 0; i < slots.size(); ++i) *slots[i] = stored.read(i).converted(DType::float32);
  return "";
}

bool is_whole_number(const Tensor& tensor) {
  return tensor.dtype() == DType::int64 || tensor.dtype() == DType::int32;
}

// Takes the step number and, where Keras stored it, the learning rate off the front of `stored`.
void take_counters(Stored& stored, bool with_rate, OptimizerState& state) {
  if (stored.starts_with_scalar() && is_whole_number(stored.read(0)))
    state.iteration = stored.take_first().converted(DType::int64).values<int64_t>()[0];
  if (with_rate && stored.starts_with_scalar())
    state.learning_rate = stored.take_first().converted(DType::float64).values<double>()[0];
}

// Keras makes slots when it trains first, so a file without any leaves nothing out.
void keep(SavedModel& saved, OptimizerState state, std::span<Tensor* const> slots,
          const Stored& stored) {
  if (stored.size() == 0 && state.iteration == 0 && !slots.empty()) return;
  std::string problem = fill(slots, stored);
  if (!problem.empty()) return leave_out(saved, problem);
  saved.optimizer_state = std::move(state);
}

bool has_use_for_state(const SavedModel& saved) {
  return saved.compile && saved.compile->optimizer != nullptr && saved.model->built();
}

// Keras forgets the optimizer's settings when it saves a .h5 file; a .keras file saved then has
// losses and metrics without one.
bool lacks_optimizer(const SavedModel& saved) {
  return saved.compile && saved.compile->optimizer == nullptr && !saved.optimizer_problem;
}

// Keras 2 stores what it does not use: moments of SGD without momentum, and for each weight a
// number where Adam without amsgrad would have a third slot.
void leave_unused(Stored& stored, size_t weights, size_t slots) {
  if (stored.size() == slots + weights) stored.names.resize(slots);
}

// Keras 2 and the first optimizers of tf.keras stored one slot of all weights after the other.
// Those that tf.keras has from 2.11 on say that they are not legacy.
bool grouped_in(const Json* optimizer_config, const Origin& origin) {
  if (origin.major > 2) return false;
  const Json* legacy = optimizer_config ? optimizer_config->find("is_legacy_optimizer") : nullptr;
  return legacy == nullptr || *legacy == Json(true);
}

const Json* optimizer_config_in(const Json& training_config) {
  const Json* optimizer = training_config.find("optimizer_config");
  return optimizer == nullptr ? nullptr : optimizer->find("config");
}

}  // namespace

void read_compile_config(const Json& json, const std::string& place, SavedModel& saved) {
  const Json* optimizer = present(json, "optimizer");
  if (optimizer == nullptr) optimizer = present(json, "optimizer_config");
  const Json* loss = present(json, "loss");
  if (loss == nullptr) return;
  saved.compile = CompileConfig{.loss = *loss};
  if (const Json* weights = json.find("loss_weights")) saved.compile->loss_weights = *weights;
  if (const Json* metrics = json.find("metrics")) saved.compile->metrics = modern_metrics(*metrics);
  if (const Json* metrics = json.find("weighted_metrics"))
    saved.compile->weighted_metrics = modern_metrics(*metrics);
  if (optimizer != nullptr) read_optimizer(*optimizer, place + ", optimizer", saved);
}

void read_optimizer_state(const Hdf5Group& file, SavedModel& saved) {
  constexpr const char* variables = "optimizer/vars";
  if (!file.has_group(variables)) return;
  if (lacks_optimizer(saved)) leave_out(saved, "the file does not say which optimizer it is of");
  if (!has_use_for_state(saved)) return;
  Hdf5Group group = file.group(variables);
  std::vector<std::string> names;
  for (size_t i = 0; i < group.names().size(); ++i) names.push_back(std::to_string(i));
  Stored stored{group, std::move(names)};
  OptimizerState state = fresh_state(*saved.compile->optimizer, *saved.model);
  std::vector<Tensor*> slots = stored_slots(*saved.compile->optimizer, state);
  take_counters(stored, true, state);
  keep(saved, std::move(state), slots, stored);
}

void read_legacy_optimizer_state(const Hdf5Group& file, const Origin& origin,
                                 const Json& training_config, SavedModel& saved) {
  constexpr const char* name = "optimizer_weights";
  if (!has_use_for_state(saved) || !file.has_group(name)) return;
  Hdf5Group group = file.group(name);
  Stored stored{group, text_list(group, "weight_names")};
  const Optimizer& optimizer = *saved.compile->optimizer;
  OptimizerState state = fresh_state(optimizer, *saved.model);
  bool grouped = grouped_in(optimizer_config_in(training_config), origin);
  std::vector<Tensor*> slots =
      slots_in_order(state, optimizer.slots().size(), grouped ? 0 : optimizer.stored_together());
  take_counters(stored, origin.major > 2, state);
  leave_unused(stored, state.slots.size(), slots.size());
  keep(saved, std::move(state), slots, stored);
}

}  // namespace hornbeam
