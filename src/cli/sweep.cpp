#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/article.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/sweep_arguments.h"
#include "cli/sweep_cell.h"
#include "cli/sweep_chart.h"
#include "cli/sweep_folder.h"
#include "cli/sweep_progress.h"
#include "cli/sweep_table.h"

namespace hornbeam {
namespace {

struct DataFacts {
  int64_t samples = 0;
  bool bytes = false;  // pictures of 0 to 255
};

DataFacts facts_of(const Dataset& data) {
  return {data.samples(), std::ranges::all_of(data.inputs, [](const NamedTensor& input) {
            return input.tensor.dtype() == DType::uint8;
          })};
}

// Looked at before any cell, so that bad data is refused once. Data needs a model to be read for:
// without one that loads there is nothing to say, and every cell will tell why.
std::optional<DataFacts> data_facts(Options options) {
  for (const std::string& model : options.models) {
    options.model = model;
    std::optional<SavedModel> saved;
    try {
      saved = load_model(options);
    } catch (const Error&) {
      continue;
    }
    return facts_of(load_data(options, options.data, *saved->model));
  }
  return std::nullopt;
}

class Sweep {
 public:
  explicit Sweep(const Options& options)
      : options_(options),
        facts_(data_facts(options)),
        folder_(options),
        cells_(cells()),
        progress_(options, cells_.size()) {}

  int run() {
    announce();
    for (const Cell& cell : cells_) {
      if (!run(cell)) return stop();
      write_files();
    }
    print();
    return ran_ ? 0 : failure_;
  }

 private:
  // A batch larger than the data is clipped to it, and measured once.
  std::vector<Cell> cells() const {
    const int64_t most = facts_ ? facts_->samples : INT64_MAX;
    std::vector<Cell> all;
    std::set<std::tuple<std::string, std::string, int64_t>> known;
    for (const std::string& model : options_.models)
      for (const std::string& device : options_.devices)
        for (int64_t asked : options_.batches) {
          const int64_t batch = std::min(asked, most);
          if (known.emplace(model, device, batch).second) all.push_back({model, device, batch});
        }
    return all;
  }

  void announce() const {
    note(options_, fmt::format("{}, the best of {}, in {}", counted(std::ssize(cells_), "cell"),
                               counted(options_.cell_epochs, "epoch"), folder_.path().string()));
    if (facts_ && std::ranges::max(options_.batches) > facts_->samples)
      note(options_, fmt::format("note: batches larger than the {} are clipped to them",
                                 counted(facts_->samples, "sample")));
    if (!std::ranges::any_of(options_.models, is_of_the_article)) return;
    const Options chosen = settings_for("zoo:article-mlp");
    note(options_,
         fmt::format(
             "note: the article's models train with {}, {}{}", chosen.optimizer, chosen.loss,
             chosen.transforms.empty() ? std::string() : ", " + join(chosen.transforms, ", ")));
  }

  Options settings_for(std::string_view model) const {
    return is_of_the_article(model) ? with_article_settings(options_, facts_ && facts_->bytes)
                                    : options_;
  }

  // False when it was stopped.
  bool run(const Cell& cell) {
    const std::vector<std::string> settings = cell_arguments(settings_for(cell.model), cell);
    progress_.begin(cell);
    if (auto row = folder_.find(settings)) {
      take(std::move(*row), true);
      return true;
    }
    CellEnd end = run_cell(cell, settings, folder_.cell_path(),
                           {.line = [&](std::string_view line) { progress_.line(line); },
                            .stop = [&] { return watch_.asked(); }});
    if (end.stopped) {
      progress_.stopped();
      return false;
    }
    if (end.row.at("error").is_null())
      folder_.add(settings, end.row);  // one that failed is tried again
    else
      failure_ = end.exit;
    take(std::move(end.row), false);
    return !watch_.asked();
  }

  void take(Json row, bool earlier) {
    ran_ |= row.at("error").is_null();
    progress_.end(row, earlier);
    if (!options_.reference.empty()) add_article(row);
    rows_.push_back(std::move(row));
  }

  void write_files() const {
    if (!options_.csv.empty()) write_text(options_.csv, sweep_csv(rows_));
    if (!options_.plot.empty())
      write_text(options_.plot, sweep_svg(rows_, !options_.reference.empty()));
  }

  void print() const {
    if (options_.json)
      print_json(Json::object({{"rows", rows_}}));
    else
      std::cout << (rows_.empty() ? "" : sweep_text(rows_));
  }

  int stop() {
    write_files();
    print();
    note(options_, "to go on: " + command_to_go_on(options_, folder_.path()));
    return static_cast<int>(Exit::interrupted);
  }

  const Options& options_;
  std::optional<DataFacts> facts_;
  SweepFolder folder_;
  std::vector<Cell> cells_;
  SweepProgress progress_;
  InterruptWatch watch_{"stopping; what is measured is kept", true};
  std::vector<Json> rows_;
  bool ran_ = false;
  int failure_ = 0;
};

}  // namespace

int run_sweep(const Options& options) { return Sweep(options).run(); }

}  // namespace hornbeam
