// Whole trainings against Keras 3 (tests/golden/models, made by its generator): every step's loss,
// the logs of every epoch, the weights and the optimizer's state at the end, predictions before and
// after.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "backends/backends.h"
#include "base/files.h"
#include "formats/npz.h"
#include "keras/load.h"
#include "keras/weight_paths.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

// One training of the list, in one folder.
struct TrajectoryCase {
  fs::path folder;
  Json description;
  std::string name() const { return description.at("name").as_text(); }
};

void PrintTo(const TrajectoryCase& each, std::ostream* out) { *out << each.name(); }

std::vector<TrajectoryCase> cases_in(const fs::path& folder) {
  std::vector<TrajectoryCase> all;
  fs::path list = folder / "cases.json";
  Json descriptions = parse_json(read_text(list), list.string());
  for (const Json& each : descriptions.as_array()) all.push_back({folder, each});
  return all;
}

// Those of the repository, and the full-size models where HORNBEAM_GOLDEN_LARGE names their folder.
std::vector<TrajectoryCase> all_cases() {
  std::vector<TrajectoryCase> all = cases_in(fs::path(HORNBEAM_TESTS_FOLDER) / "golden/models");
  if (const char* large = std::getenv("HORNBEAM_GOLDEN_LARGE"))
    for (TrajectoryCase& each : cases_in(large)) all.push_back(std::move(each));
  return all;
}

Tensor scaled(const Tensor& bytes) {
  Tensor floats = bytes.converted(DType::float32);
  for (float& value : floats.values<float>()) value /= 255;
  return floats;
}

class Pictures {
 public:
  explicit Pictures(const TrajectoryCase& each)
      : file_(each.folder / "pictures.npz"), images_(each.description.at("images").as_text()) {}

  Dataset part(const std::string& name) const {
    Dataset data{.name = name};
    data.inputs.push_back({"", scaled(file_.read(name + "_" + images_))});
    data.targets.push_back({"", file_.read(name + "_labels")});
    return data;
  }

 private:
  NpzReader file_;
  std::string images_;
};

struct Outcome {
  std::vector<double> step_losses;
  History history;
  std::vector<Tensor> weights, optimizer, before, after;
};

Outcome train(const TrajectoryCase& each, Backend& backend) {
  SavedModel saved = load_model_file(each.folder / each.description.at("model").as_text(), "");
  Pictures pictures(each);
  Dataset training = pictures.part("training"), validation = pictures.part("validation");
  Trainer trainer(*saved.model, *saved.compile, backend,
                  {.batch = each.description.at("batch").as_integer()});
  if (saved.optimizer_state) trainer.set_optimizer_state(*saved.optimizer_state);
  Outcome outcome;
  Dataset first = rows(validation, 0, 4);
  outcome.before = trainer.predict(first);
  int64_t epochs = static_cast<int64_t>(each.description.at("epochs").as_array().size());
  outcome.history = trainer.fit(training, &validation,
                                {.epochs = epochs, .shuffle = false, .step_loss = [&](double loss) {
                                   outcome.step_losses.push_back(loss);
                                 }});
  outcome.after = trainer.predict(first);
  trainer.download();
  for (const ModelWeight& weight : saved.model->weights())
    outcome.weights.push_back(weight.weight->value);
  OptimizerState state = trainer.optimizer_state();
  for (Tensor* slot : stored_slots(*saved.compile->optimizer, state))
    outcome.optimizer.push_back(*slot);
  return outcome;
}

// |a - b| / |b|, in the sense of the sum of squares.
double relative_distance(const Tensor& a, const Tensor& b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < b.values<float>().size(); ++i) {
    double x = static_cast<double>(a.values<float>()[i]),
           y = static_cast<double>(b.values<float>()[i]);
    difference += (x - y) * (x - y);
    size += y * y;
  }
  return std::sqrt(difference / std::max(size, 1e-30));
}

// How far float32 itself is from float64 in Keras, by weight. Above this a weight has no meaning
// beyond rounding noise: a bias in front of batch normalisation, which changes no output.
constexpr double all_noise = 1e-2;
// Above this the noise of such a bias is in the weight: the moving mean behind it takes it up, and
// Adam turns what is left of a tiny gradient into steps. Two float32 trainings are then as far
// apart as each is from float64.
constexpr double some_noise = 1e-5;

double tolerance(double rounding) {
  return rounding > some_noise ? std::max(5e-3, 3 * rounding) : 1e-3;
}

void expect_like_keras(const Outcome& outcome, const TrajectoryCase& each) {
  NpzReader numbers(each.folder / each.description.at("numbers").as_text());
  Tensor losses = numbers.read("step_losses");
  ASSERT_EQ(outcome.step_losses.size(), losses.values<float>().size());
  for (size_t i = 0; i < outcome.step_losses.size(); ++i) {
    double expected = static_cast<double>(losses.values<float>()[i]);
    EXPECT_NEAR(outcome.step_losses[i], expected, 1e-4 * expected) << "step " << i;
  }
  const Json::Array& epochs = each.description.at("epochs").as_array();
  for (size_t epoch = 0; epoch < epochs.size(); ++epoch)
    for (const auto& [name, value] : outcome.history.epochs[epoch].logs)
      EXPECT_NEAR(value, epochs[epoch].at(name).as_number(), 1e-4 * std::max(1.0, value))
          << name << " of epoch " << epoch;
  const Json::Array& rounding = each.description.at("rounding").at("weights").as_array();
  ASSERT_EQ(outcome.weights.size(), rounding.size());
  for (size_t i = 0; i < outcome.weights.size(); ++i) {
    if (rounding[i].as_number() > all_noise) continue;
    EXPECT_LT(relative_distance(outcome.weights[i], numbers.read("weight_" + std::to_string(i))),
              tolerance(rounding[i].as_number()))
        << each.description.at("weights").as_array()[i].at("path").as_text();
  }
  EXPECT_LT(relative_distance(outcome.before[0], numbers.read("predictions_before")), 1e-4);
  EXPECT_LT(relative_distance(outcome.after[0], numbers.read("predictions_after")), 1e-3);
}

class Trajectory : public testing::TestWithParam<TrajectoryCase> {};

TEST_P(Trajectory, OnTheCpuIsThatOfKeras) {
  auto backend = make_backend("cpu", {.threads = 1});
  expect_like_keras(train(GetParam(), *backend), GetParam());
}

TEST_P(Trajectory, HasTheSameBitsAtAnyNumberOfThreads) {
  std::vector<Outcome> outcomes;
  for (int threads : {1, 2, 3}) {
    auto backend = make_backend("cpu", {.threads = threads});
    outcomes.push_back(train(GetParam(), *backend));
  }
  for (size_t i = 1; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].step_losses, outcomes[0].step_losses);
    for (size_t w = 0; w < outcomes[0].weights.size(); ++w)
      EXPECT_TRUE(identical(outcomes[i].weights[w], outcomes[0].weights[w])) << w;
  }
}

TEST_P(Trajectory, OnTheReferenceIsThatOfKeras) {
  if (GetParam().folder.filename() != "models")
    GTEST_SKIP() << "plain loops take minutes for the full-size networks";
  auto backend = make_backend("reference", {});
  expect_like_keras(train(GetParam(), *backend), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Keras, Trajectory, testing::ValuesIn(all_cases()),
                         [](const auto& each) { return each.param.name(); });

}  // namespace
}  // namespace hornbeam
