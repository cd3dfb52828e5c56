#include "nn/zoo.h"

#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "keras/model_writer.h"
#include "keras/save.h"

namespace hornbeam {

int run_zoo(const Options& options) {
  if (options.model.empty()) {
    for (const ZooEntry& entry : zoo())
      std::cout << fmt::format("zoo:{:14} {:>10} parameters  {}\n", entry.name,
                               thousands(entry.make()->parameters()), entry.summary);
    return 0;
  }
  std::shared_ptr<Model> model = zoo_model(options.model);
  if (options.out.empty())
    throw Error("H301", {.message = "zoo NAME needs --out FILE.keras or FILE.json"});
  model->initialize(options.seed);
  if (options.out.extension() == ".json")
    write_text(options.out, json_text(model_json(*model)));
  else
    save_keras(options.out, *model, nullptr, nullptr);
  return 0;
}

}  // namespace hornbeam
