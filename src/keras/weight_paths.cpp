#include "keras/weight_paths.h"

#include <cctype>
#include <map>

namespace hornbeam {
namespace {

bool upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool lower(char c) { return std::islower(static_cast<unsigned char>(c)); }

void collect(Model& model, const std::string& prefix, std::vector<StoredWeight>& all) {
  std::map<std::string, int> counts;
  for (const std::shared_ptr<Layer>& layer : model.layers()) {
    std::string name = snake_case(layer->class_name());
    int number = counts[name]++;
    std::string path = prefix + "layers/" + name + (number == 0 ? "" : "_" + std::to_string(number));
    if (auto nested = dynamic_cast<Model*>(layer.get())) {
      collect(*nested, path + "/", all);
      continue;
    }
    for (size_t i = 0; i < layer->own_weights().size(); ++i)
      all.push_back({path + "/vars/" + std::to_string(i), layer->own_weights()[i].get()});
  }
}

}  // namespace

// Keras' rule: a border before a capital that lowercase letters follow, and between a lowercase letter
// or a digit's word and a capital.
std::string snake_case(std::string_view class_name) {
  std::string snake;
  for (size_t i = 0; i < class_name.size(); ++i) {
    char c = class_name[i];
    bool starts_word = i > 0 && upper(c) && i + 1 < class_name.size() && lower(class_name[i + 1]);
    bool after_lower = i > 0 && upper(c) && lower(class_name[i - 1]);
    if (starts_word || after_lower) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return snake;
}

std::vector<StoredWeight> stored_weights(Model& model) {
  std::vector<StoredWeight> all;
  collect(model, "", all);
  return all;
}

std::vector<Tensor*> stored_slots(const Optimizer& optimizer, OptimizerState& state) {
  std::vector<Tensor*> slots;
  size_t count = optimizer.slots().size();
  if (optimizer.interleaved()) {
    for (auto& weight : state.slots)
      for (Tensor& slot : weight) slots.push_back(&slot);
  } else {
    for (size_t i = 0; i < count; ++i)
      for (auto& weight : state.slots) slots.push_back(&weight[i]);
  }
  return slots;
}

}  // namespace hornbeam
