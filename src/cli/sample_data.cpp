#include "cli/sample_data.h"

#include <algorithm>

#include "base/error.h"
#include "cli/data_check.h"
#include "cli/data_notes.h"
#include "cli/session.h"
#include "train/step.h"

namespace hornbeam {

namespace {

Dataset data_like(const Model& model, const CompileConfig& config, int64_t samples) {
  std::optional<std::vector<Shape>> shapes = model.declared_shapes();
  if (!shapes)
    throw Error("H114", {.message = "the model does not say the shapes of its inputs",
                         .place = model.name,
                         .help = "--data gives samples to go by"});
  Dataset data{.name = "zeros of the model's own shapes"};
  for (Shape& shape : *shapes) {
    shape[0] = samples;
    data.inputs.push_back({"", Tensor(DType::float32, shape)});
  }
  std::vector<OutputObjective> objectives = objectives_of(model, config);
  for (size_t i = 0; i < objectives.size(); ++i) {
    Shape shape = model.output_shapes()[i];
    shape[0] = samples;
    const Loss* loss = objectives[i].loss.get();
    bool numbers = loss && (loss->takes_class_numbers() || loss->takes_one_hot());
    if (numbers) shape[shape.rank() - 1] = 1;
    data.targets.push_back({"", Tensor(numbers ? DType::uint8 : DType::float32, shape)});
  }
  return data;
}

}  // namespace

Dataset data_to_plan_for(Options& options, SavedModel& saved, const CompileConfig& config,
                         int64_t zeros) {
  note_idle_replicas(options);
  if (options.data.empty()) {
    Dataset data = data_like(*saved.model, config, zeros);
    check_data(options, data, *saved.model, config);
    return data;
  }
  Dataset data = load_data(options, options.data, *saved.model);
  options.batch = std::min(options.batch, data.samples());
  complete_model(saved, data, options.seed);
  check_data(options, data, *saved.model, config);
  return limit(std::move(data), options.batch);
}

}  // namespace hornbeam
