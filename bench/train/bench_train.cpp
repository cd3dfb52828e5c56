// A worker for bench/train/run: trains a built-in model on random pictures in memory, through the
// fit loop as a user runs it (uint8 pictures, rescaling, metrics, Adam). Reads "go SECONDS" lines;
// after each, trains for at least that long and prints samples per second.
//
// Usage: bench_train MODEL BATCH THREADS highest|high
#include <chrono>
#include <iostream>
#include <sstream>

#include "backends/backends.h"
#include "base/rng.h"
#include "nn/zoo.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

using Clock = std::chrono::steady_clock;

Dataset random_pictures(const Model& model, int64_t samples) {
  Shape shape = model.declared_shapes()->at(0);
  shape[0] = samples;
  Dataset data{.name = "random"};
  Tensor pictures(DType::uint8, shape), labels(DType::uint8, {samples, 1});
  Random random(1);
  for (uint8_t& value : pictures.values<uint8_t>()) value = static_cast<uint8_t>(random.bits());
  for (uint8_t& label : labels.values<uint8_t>()) label = static_cast<uint8_t>(random.below(10));
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

int run(const std::string& name, int64_t batch, int threads, MatmulPrecision precision) {
  std::shared_ptr<Model> model = zoo_model(name);
  model->initialize(0);
  std::shared_ptr<Layer> rescaling =
      make_layer("Rescaling", Json::object({{"scale", 1.0 / 255}}), "bench");
  CompileConfig config{.optimizer = optimizer_by_name("adam", "bench"),
                       .loss = "categorical_crossentropy",
                       .metrics = Json::Array{"accuracy"}};
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = threads});
  Trainer trainer(*model, config, *backend,
                  {.batch = batch, .transforms = {rescaling}, .matmul_precision = precision});
  Dataset data = random_pictures(*model, batch);
  train_for(trainer, data, 0);
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::string go;
    double seconds = 1;
    std::istringstream(line) >> go >> seconds;
    std::cout << train_for(trainer, data, seconds) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace hornbeam

int main(int count, char** values) {
  using hornbeam::MatmulPrecision;
  std::string precision = count == 5 ? values[4] : "";
  if (precision != "highest" && precision != "high") {
    std::cerr << "usage: bench_train MODEL BATCH THREADS highest|high\n";
    return 2;
  }
  try {
    return hornbeam::run(values[1], std::stoll(values[2]), std::stoi(values[3]),
                         precision == "high" ? MatmulPrecision::high : MatmulPrecision::highest);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
