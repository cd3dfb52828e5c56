// A worker for the measurements beside other libraries: trains a model on random bytes in memory,
// through the fit loop as a user runs it (rescaling, metrics, Adam). Reads lines: "go SECONDS"
// trains for at least that long and prints samples per second; "memory" prints the planned peak and
// the highest resident bytes, of the process and beyond what it had before the step was made.
//
// Usage: bench_train MODEL BATCH THREADS highest|high [STEPS]
// MODEL is a built-in one or a Keras .json file, STEPS the steps in an epoch (1).
#include <chrono>
#include <iostream>
#include <sstream>

#include "backends/backends.h"
#include "base/rng.h"
#include "keras/load.h"
#include "nn/zoo.h"
#include "process_memory.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<Model> model_named(const std::string& name) {
  return name.ends_with(".json") ? load_model_file(name, "").model : zoo_model(name);
}

Dataset random_bytes(const Model& model, int64_t samples) {
  Shape shape = model.declared_shapes()->at(0);
  shape[0] = samples;
  Dataset data{.name = "random"};
  Tensor pictures(DType::uint8, shape), labels(DType::uint8, {samples, 1});
  Random random(1);
  for (uint8_t& value : pictures.values<uint8_t>()) value = static_cast<uint8_t>(random.bits());
  const uint64_t classes = static_cast<uint64_t>(model.output_shapes()[0][1]);
  for (uint8_t& label : labels.values<uint8_t>())
    label = static_cast<uint8_t>(random.below(classes));
  data.inputs.push_back({"", std::move(pictures)});
  data.targets.push_back({"", std::move(labels)});
  return data;
}

double train_for(Trainer& trainer, const Dataset& data, double seconds) {
  Clock::time_point start = Clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  int64_t epochs = 0;
  trainer.fit(data, nullptr, {.epochs = int64_t{1} << 40, .epoch_end = [&](const History&) {
                                ++epochs;
                                return elapsed() < seconds;
                              }});
  return static_cast<double>(epochs * data.samples()) / elapsed();
}

void answer_lines(Trainer& trainer, const Dataset& data, double before) {
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::string word;
    double seconds = 1;
    std::istringstream(line) >> word >> seconds;
    if (word == "memory")
      std::cout << trainer.compile_training(data).memory_plan().peak_bytes << " "
                << status_bytes("VmHWM") << " " << status_bytes("VmHWM") - before << std::endl;
    else
      std::cout << train_for(trainer, data, seconds) << std::endl;
  }
}

int run(const std::string& name, int64_t batch, int threads, MatmulPrecision precision,
        int64_t steps) {
  std::shared_ptr<Model> model = model_named(name);
  model->initialize(0);
  std::shared_ptr<Layer> rescaling =
      make_layer("Rescaling", Json::object({{"scale", 1.0 / 255}}), "bench");
  CompileConfig config{.optimizer = optimizer_by_name("adam", "bench"),
                       .loss = "sparse_categorical_crossentropy",
                       .metrics = Json::Array{"accuracy"}};
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = threads});
  Dataset data = random_bytes(*model, steps * batch);
  Trainer trainer(*model, config, *backend,
                  {.batch = batch, .transforms = {rescaling}, .matmul_precision = precision});
  const double before = status_bytes("VmRSS");
  train_for(trainer, data, 0);
  answer_lines(trainer, data, before);
  return 0;
}

}  // namespace
}  // namespace hornbeam

int main(int count, char** values) {
  using hornbeam::MatmulPrecision;
  std::string precision = count == 5 || count == 6 ? values[4] : "";
  if (precision != "highest" && precision != "high") {
    std::cerr << "usage: bench_train MODEL BATCH THREADS highest|high [STEPS]\n";
    return 2;
  }
  try {
    return hornbeam::run(values[1], std::stoll(values[2]), std::stoi(values[3]),
                         precision == "high" ? MatmulPrecision::high : MatmulPrecision::highest,
                         count == 6 ? std::stoll(values[5]) : 1);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
