#include "nn/zoo.h"

#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/session.h"
#include "keras/model_writer.h"
#include "keras/save.h"

namespace hornbeam {

namespace {

int list_models(bool json) {
  Json::Array all;
  for (const ZooEntry& entry : zoo()) {
    int64_t parameters = entry.make()->parameters();
    if (!json)
      std::cout << fmt::format("zoo:{:14} {:>10} parameters  {}\n", entry.name,
                               thousands(parameters), entry.summary);
    all.push_back(Json::object(
        {{"name", entry.name}, {"parameters", parameters}, {"summary", entry.summary}}));
  }
  if (json) print_json(all);
  return 0;
}

void require_ending(const std::filesystem::path& out) {
  if (out.empty()) throw Error("H301", {.message = "zoo NAME needs --out FILE.keras or FILE.json"});
  if (out.extension() != ".keras" && out.extension() != ".json")
    throw Error("H302", {.message = fmt::format("'{}': models are written to .keras or .json",
                                                out.string()),
                         .place = "--out"});
}

}  // namespace

int run_zoo(const Options& options) {
  if (options.model.empty()) return list_models(options.json);
  std::shared_ptr<Model> model = built_in_model(options.model);
  require_ending(options.out);
  model->initialize(options.seed);
  if (options.out.extension() == ".json")
    write_text(options.out, json_text(model_json(*model)));
  else
    save_keras(options.out, *model, nullptr, sources_of(*model));
  if (options.json)
    print_json(Json::object({{"name", options.model},
                             {"parameters", model->parameters()},
                             {"out", options.out.string()}}));
  return 0;
}

}  // namespace hornbeam
