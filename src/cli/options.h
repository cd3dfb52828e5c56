// Everything that can be said on the command line, as one plain struct.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hornbeam {

struct Options {
  std::string command;
  std::string model;                // a file, or zoo:NAME; for explain a code, for zoo a name
  std::vector<std::string> models;  // sweep
  std::filesystem::path weights;
  bool help = false, version = false;

  // data
  std::string data, validation, targets;
  double validation_split = 0;
  std::vector<std::string> transforms;
  std::optional<int64_t> limit;
  int64_t label_offset = 0;
  std::string class_weight;
  std::filesystem::path data_folder;  // $HORNBEAM_DATA

  // training
  int64_t epochs = 1, batch = 32;
  std::optional<int64_t> steps_per_epoch;
  std::string optimizer, loss;
  std::vector<std::string> metrics;
  bool no_shuffle = false;
  uint64_t seed = 0;

  // sweep: the cells of the table, and what it is compared with
  std::vector<int64_t> batches{256, 1024, 4096, 8192, 16384, 50000};
  std::vector<std::string> devices{"cpu"};
  int64_t cell_epochs = 10;
  std::string reference;  // "article" or nothing

  // where and how
  std::string device = "cpu";
  std::optional<int> replicas;  // one for each device
  std::vector<std::string> plugin_options;
  std::optional<int> threads;  // one for each core
  std::string isa;
  std::string policy = "float32";  // of layers without one of their own
  std::string matmul_precision = "highest";
  std::string memory;
  std::vector<std::string> disabled_passes;

  // output
  std::filesystem::path out;
  bool overwrite = false;
  bool max_batch = false;
  bool json = false;
  bool quiet = false;
  std::string progress = "auto";
  bool graph = false, kernels = false, measure = false, passes = false,  // inspect
      stablehlo = false;
  std::vector<std::string> dumps;
  bool profile = false;  // train
  std::filesystem::path trace;
  std::filesystem::path plot, csv;  // sweep

  // --config
  std::map<std::string, std::string> setting_places;  // "--epochs": "run.toml:3"
  std::string config_note;                            // what of the file has no use here
};

// The options of a command line (without the program's name). With --config the file's settings
// are taken where the command line says nothing. Throws H301, H302.
Options parse_options(const std::vector<std::string>& arguments);

// Every option of the command with its value, by the names that --config takes.
Json settings_json(const Options& options);

// An error about an option that stands in the --config file names the place there.
Error at_setting(const Error& error, const Options& options);

// The text of `hornbeam --help` and of `hornbeam COMMAND --help`: examples, common options, the
// rest.
std::string help_text(std::string_view command);

}  // namespace hornbeam
