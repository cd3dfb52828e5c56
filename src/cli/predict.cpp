#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_check.h"
#include "cli/data_notes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/session.h"
#include "formats/npy.h"
#include "formats/npz.h"

namespace hornbeam {
namespace {

// "scores_0,scores_1,box": which column belongs to which output.
std::string csv_header(const Model& model, const std::vector<Tensor>& outputs) {
  std::vector<std::string> columns;
  for (size_t i = 0; i < outputs.size(); ++i) {
    int64_t width = outputs[i].elements() / outputs[i].shape()[0];
    for (int64_t column = 0; column < width; ++column)
      columns.push_back(width == 1 ? model.output_name(i)
                                   : fmt::format("{}_{}", model.output_name(i), column));
  }
  return join(columns, ",") + "\n";
}

// One line a sample, the values of all outputs side by side; under a header when there are several.
std::string csv_of(const Model& model, const std::vector<Tensor>& outputs) {
  std::string text = outputs.size() > 1 ? csv_header(model, outputs) : "";
  int64_t samples = outputs[0].shape()[0];
  for (int64_t i = 0; i < samples; ++i) {
    const char* separator = "";
    for (const Tensor& output : outputs) {
      int64_t width = output.elements() / samples;
      for (float value : output.values<float>().subspan(static_cast<size_t>(i * width),
                                                        static_cast<size_t>(width)))
        text += fmt::format("{}{}", std::exchange(separator, ","), number_text(value));
    }
    text += "\n";
  }
  return text;
}

// Before anything is predicted.
void require_ending(const std::filesystem::path& path, const Model& model) {
  std::string ending = path.extension().string();
  if (ending == ".csv" || ending == ".npz") return;
  if (ending == ".npy" && model.outputs.size() == 1) return;
  throw Error("H302", {.message = fmt::format("'{}': predictions are written to .npz or .csv, and "
                                              "to .npy when there is one output",
                                              path.string()),
                       .place = "--out"});
}

void write_outputs(const std::filesystem::path& path, const Model& model,
                   std::vector<Tensor> outputs) {
  std::string ending = path.extension().string();
  if (ending == ".csv") return write_text(path, csv_of(model, outputs));
  if (ending == ".npy") return write_file(path, npy_bytes(outputs[0]));
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < outputs.size(); ++i)
    named.push_back({model.output_name(i), std::move(outputs[i])});
  write_npz(path, named);
}

Json predict_report(const Options& options, const Model& model,
                    const std::vector<Tensor>& outputs) {
  Json::Array all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].shape();
    all.push_back(Json::object(
        {{"name", model.output_name(i)}, {"shape", Json::Array(shape.begin(), shape.end())}}));
  }
  return Json::object({{"model", options.model},
                       {"samples", outputs[0].shape()[0]},
                       {"outputs", all},
                       {"out", options.out.string()}});
}

}  // namespace

int run_predict(const Options& options) {
  if (options.out.empty())
    throw Error("H301", {.message = "predict needs --out FILE.npy, .npz or .csv"});
  SavedModel saved = load_model(options);
  require_ending(options.out, *saved.model);
  Dataset data = load_data(options, options.data, *saved.model);
  data.sample_weight.reset();  // a prediction weighs nothing
  if (complete_model(saved, data, options.seed)) note_fresh_weights(options);
  check_inputs(options, data, *saved.model);
  note_reshaping(options, data, *saved.model);
  note_unscaled(options, data, *saved.model);
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(*saved.model, {}, *backend, trainer_options(options, *backend));
  std::vector<Tensor> outputs = trainer.predict(data, reporter_for(options).get());
  Json report = predict_report(options, *saved.model, outputs);
  write_outputs(options.out, *saved.model, std::move(outputs));
  if (options.json) print_json(report);
  note(options, fmt::format("{} written to {}", counted(data.samples(), "prediction"),
                            options.out.string()));
  return 0;
}

}  // namespace hornbeam
