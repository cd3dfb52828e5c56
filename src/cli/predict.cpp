#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "formats/npy.h"
#include "formats/npz.h"

namespace hornbeam {
namespace {

// One line a sample, the values of all outputs side by side.
std::string csv_of(const std::vector<Tensor>& outputs) {
  std::string text;
  int64_t samples = outputs[0].shape()[0];
  for (int64_t i = 0; i < samples; ++i) {
    const char* separator = "";
    for (const Tensor& output : outputs) {
      int64_t width = output.elements() / samples;
      for (float value : output.values<float>().subspan(static_cast<size_t>(i * width),
                                                        static_cast<size_t>(width)))
        text += fmt::format("{}{}", std::exchange(separator, ","), value);
    }
    text += "\n";
  }
  return text;
}

void write_outputs(const std::filesystem::path& path, const Model& model,
                   std::vector<Tensor> outputs) {
  std::string ending = path.extension().string();
  if (ending == ".csv") return write_text(path, csv_of(outputs));
  if (ending == ".npy" && outputs.size() == 1) return write_file(path, npy_bytes(outputs[0]));
  if (ending != ".npz")
    throw Error("H302",
                {.message = fmt::format("'{}': predictions are written to .npz or .csv, and to "
                                        ".npy when there is one output",
                                        path.string()),
                 .place = "--out"});
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < outputs.size(); ++i)
    named.push_back({model.output_name(i), std::move(outputs[i])});
  write_npz(path, named);
}

}  // namespace

int run_predict(const Options& options) {
  if (options.out.empty())
    throw Error("H301", {.message = "predict needs --out FILE.npy, .npz or .csv"});
  SavedModel saved = load_model(options);
  Dataset data = load_data(options, options.data, *saved.model);
  complete_model(saved, data, options.seed);
  check_inputs(options, data, *saved.model);
  std::unique_ptr<Backend> backend = backend_for(options);
  Trainer trainer(*saved.model, {}, *backend, trainer_options(options));
  std::vector<Tensor> outputs = trainer.predict(data);
  write_outputs(options.out, *saved.model, std::move(outputs));
  note(options, fmt::format("{} predictions written to {}", data.samples(), options.out.string()));
  return 0;
}

}  // namespace hornbeam
