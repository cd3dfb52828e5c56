#include "nn/masks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "nn/layers/basic.h"

namespace hornbeam {
namespace {

using Masks = std::vector<bool>;

Masks pass(const Model& model, const Masks& inputs);

bool any(const Masks& masks) { return std::ranges::count(masks, true) > 0; }

Masks behind(const Layer& layer, const Masks& given) {
  if (auto model = dynamic_cast<const Model*>(&layer)) return pass(*model, given);
  if (auto embedding = dynamic_cast<const Embedding*>(&layer)) return {embedding->mask_zero};
  if (any(given) && layer.mask() == Layer::Mask::used)
    throw Error("H111",
                {.message = "the mask of an Embedding with mask_zero is used here, which is not "
                            "supported",
                 .place = fmt::format("{} ({})", layer.name, layer.class_name())});
  return {any(given) && layer.mask() == Layer::Mask::passed};
}

Masks pass(const Model& model, const Masks& inputs) {
  std::vector<Masks> results;
  for (size_t i = 0; i < model.calls.size(); ++i) {
    Masks given;
    for (TensorRef ref : model.calls[i].inputs) given.push_back(results[ref.call][ref.output]);
    auto input = std::ranges::find(model.inputs, TensorRef{i, 0});
    if (input != model.inputs.end())
      results.push_back({inputs[static_cast<size_t>(input - model.inputs.begin())]});
    else
      results.push_back(behind(*model.calls[i].layer, given));
  }
  Masks outputs;
  for (TensorRef ref : model.outputs) outputs.push_back(results[ref.call][ref.output]);
  return outputs;
}

}  // namespace

std::vector<bool> masked_outputs(const Model& model) {
  return pass(model, Masks(model.inputs.size(), false));
}

}  // namespace hornbeam
