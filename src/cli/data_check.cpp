#include "cli/data_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cli/session.h"
#include "data/labels.h"
#include "nn/layers/basic.h"
#include "train/step.h"

namespace hornbeam {
namespace {

// "(28, 28, 1)", without the batch axis.
std::string sample_text(const Shape& shape) {
  return to_string(Shape(std::vector<int64_t>(shape.begin() + 1, shape.end())));
}

std::vector<int64_t> without_ones(const Shape& shape) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  std::erase(extents, 1);
  return extents;
}

// Both with a batch extent of 1.
bool can_be_reshaped(const Shape& sample, const Shape& wanted) {
  bool one_is_flat = std::min(sample.rank(), wanted.rank()) <= 2;
  return one_is_flat ? sample.elements() == wanted.elements()
                     : without_ones(sample) == without_ones(wanted);
}

void require_no_weights(const Layer& layer) {
  if (layer.own_weights().empty()) return;
  throw Error("H302",
              {.message = fmt::format("a {} layer has weights, which nothing would train",
                                      layer.class_name()),
               .help = "transforms are layers without weights, as \"Rescaling(scale=1/255)\""});
}

// The shape of a sample (batch extent 1) behind the transforms.
Shape transformed(const Options& options, const Tensor& samples) {
  Shape shape = samples.shape();
  shape[0] = 1;
  Builder scratch;
  Trace trace(scratch, false);
  Exprs x{scratch.input("sample", {samples.dtype(), shape})};
  const std::vector<std::shared_ptr<Layer>> layers = transforms_for(options);
  for (const std::shared_ptr<Layer>& layer : layers) try {
      x = call_layer(*layer, trace, x);
    } catch (const Error& error) {
      std::string place = fmt::format("--transform {}", layer->class_name());
      ErrorParts parts = error.parts();
      parts.notes.push_back("a sample is " + sample_text(Shape(x[0].shape())) + " there");
      parts.place = place;
      throw Error("H114", std::move(parts));
    }
  for (const std::shared_ptr<Layer>& layer : layers) require_no_weights(*layer);
  return Shape(x[0].shape());
}

std::string input_place(const Dataset& data, const Model& model, size_t number) {
  return fmt::format("{}, input `{}`", data.name, model.input_name(number));
}

// Whether targets of that shape are the numbers of classes, one for each position of the output.
bool are_class_numbers(const Shape& target, const Shape& output) {
  bool one_column = target.rank() > 1 && target[target.rank() - 1] == 1;
  int64_t positions = one_column ? target.rank() - 1 : target.rank();
  return positions == 1 || positions + 1 == output.rank();
}

// What goes straight into an Embedding is looked at here, where samples still have their numbers.
void check_embedded(const Dataset& data, const Model& model) {
  for (const LayerCall& call : model.calls) {
    auto embedding = dynamic_cast<const Embedding*>(call.layer.get());
    if (embedding == nullptr) continue;
    for (size_t i = 0; i < model.inputs.size(); ++i)
      if (call.inputs[0] == model.inputs[i])
        check_indices(data.inputs[i].tensor,
                      {embedding->input_dim, input_place(data, model, i), embedding->name});
  }
}

void check_target(const Dataset& data, const NamedTensor& target, const Loss& loss,
                  const Model& model, size_t output_number) {
  const std::string& name = model.output_name(output_number);
  if (!target.name.empty() && target.name != name)
    throw Error("H205", {.message = fmt::format("there is a target for `{}`, and none for `{}`, "
                                                "which has a loss",
                                                target.name, name),
                         .place = data.name});
  const Shape& output = model.output_shapes()[output_number];
  int64_t columns = output[output.rank() - 1];
  bool classes = loss.takes_class_numbers() || (loss.takes_one_hot() && columns > 1);
  if (classes && are_class_numbers(target.tensor.shape(), output))
    check_labels(target.tensor, {columns, data.name, name, loss.ignored_class()});
}

}  // namespace

void check_inputs(const Options& options, const Dataset& data, const Model& model) {
  if (data.inputs.size() != model.inputs.size())
    throw Error("H205", {.message = fmt::format("the model has {}, the data {}",
                                                counted(std::ssize(model.inputs), "input"),
                                                data.inputs.size()),
                         .place = data.name});
  std::optional<std::vector<Shape>> declared = model.declared_shapes();
  for (size_t i = 0; declared && i < data.inputs.size(); ++i) {
    Shape sample = transformed(options, data.inputs[i].tensor);
    const Shape& wanted = (*declared)[i];
    if (sample == wanted || can_be_reshaped(sample, wanted)) continue;
    throw Error(
        "H205",
        {.message = fmt::format(
             "a sample of the data is {}{}, the model takes {}", sample_text(sample),
             options.transforms.empty() ? "" : " after the transforms", sample_text(wanted)),
         .place = input_place(data, model, i),
         .help = options.data.empty() ? "--data says which samples there are"
                                      : "a --transform such as Reshape changes samples"});
  }
  if (options.transforms.empty()) check_embedded(data, model);
}

void note_reshaping(const Options& options, const Dataset& data, const Model& model) {
  std::optional<std::vector<Shape>> declared = model.declared_shapes();
  for (size_t i = 0; declared && i < data.inputs.size(); ++i) {
    Shape sample = transformed(options, data.inputs[i].tensor);
    if (sample == (*declared)[i]) continue;
    note(options,
         fmt::format("note: samples of {} are reshaped to {} for input `{}`", sample_text(sample),
                     sample_text((*declared)[i]), model.input_name(i)));
  }
}

void check_data(const Options& options, const Dataset& data, const Model& model,
                const CompileConfig& config) {
  check_inputs(options, data, model);
  std::vector<OutputObjective> objectives = objectives_of(model, config);
  auto targets = targets_of(objectives, data.targets.size());
  for (size_t i = 0; targets && i < objectives.size(); ++i)
    if (objectives[i].loss && (*targets)[i])
      check_target(data, data.targets[*(*targets)[i]], *objectives[i].loss, model, i);
}

}  // namespace hornbeam
