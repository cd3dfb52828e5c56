// Whole trainings against Keras 3 (tests/golden/models, made by its generator): every step's loss,
// the logs of every epoch, the weights and the optimizer's state at the end, predictions before and
// after.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/backends.h"
#include "keras/weight_paths.h"
#include "train/golden_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;

// One training of the list, in one folder.
struct TrajectoryCase {
  fs::path folder;
  Json description;
  std::string name() const { return description.at("name").as_text(); }
  fs::path file(const std::string& key) const { return folder / description.at(key).as_text(); }
};

void PrintTo(const TrajectoryCase& each, std::ostream* out) { *out << each.name(); }

std::vector<TrajectoryCase> cases_in(const fs::path& folder) {
  std::vector<TrajectoryCase> all;
  Json descriptions = trainings_in(folder);
  for (const Json& each : descriptions.as_array()) all.push_back({folder, each});
  return all;
}

// Those of the repository, and the full-size models where HORNBEAM_GOLDEN_LARGE names their folder.
std::vector<TrajectoryCase> all_cases() {
  std::vector<TrajectoryCase> all = cases_in(golden_models());
  if (const char* large = std::getenv("HORNBEAM_GOLDEN_LARGE"))
    for (TrajectoryCase& each : cases_in(large)) all.push_back(std::move(each));
  return all;
}

struct Outcome {
  std::vector<double> step_losses;
  History history;
  std::vector<Tensor> weights, optimizer;
  Tensor before, after;
};

Dataset training_data(const TrajectoryCase& each, const Pictures& pictures) {
  Dataset data = pictures.part("training");
  if (each.description.at("weighted").as_bool())
    data.sample_weight = NpzReader(each.file("numbers")).read("sample_weight");
  return data;
}

// As Keras lists them.
std::vector<Tensor> optimizer_variables(const Optimizer& optimizer, const OptimizerState& state) {
  std::vector<Tensor> all{Tensor::scalar(state.iteration), Tensor::scalar(state.learning_rate)};
  for (const Tensor* slot : stored_slots(optimizer, state)) all.push_back(*slot);
  return all;
}

Outcome train(const TrajectoryCase& each, Backend& backend) {
  SavedModel saved = load_model_file(each.file("model"), "");
  Pictures pictures(each.folder, each.description.at("images").as_text());
  Dataset training = training_data(each, pictures), validation = pictures.part("validation");
  Trainer trainer(*saved.model, *saved.compile, backend,
                  {.batch = each.description.at("batch").as_integer()});
  if (saved.optimizer_state) trainer.set_optimizer_state(*saved.optimizer_state);
  Outcome outcome;
  Dataset first = rows(validation, 0, 4);
  outcome.before = std::move(trainer.predict(first).at(0));
  int64_t epochs = static_cast<int64_t>(each.description.at("epochs").as_array().size());
  outcome.history = trainer.fit(training, &validation,
                                {.epochs = epochs, .shuffle = false, .step_loss = [&](double loss) {
                                   outcome.step_losses.push_back(loss);
                                 }});
  outcome.after = std::move(trainer.predict(first).at(0));
  trainer.download();
  outcome.weights = weights_of(saved);
  outcome.optimizer = optimizer_variables(*saved.compile->optimizer, trainer.optimizer_state());
  return outcome;
}

void expect_logs(const History& history, const Json::Array& epochs) {
  ASSERT_EQ(history.epochs.size(), epochs.size());
  for (size_t epoch = 0; epoch < epochs.size(); ++epoch)
    for (const auto& [name, value] : history.epochs[epoch].logs)
      EXPECT_NEAR(value, epochs[epoch].at(name).as_number(), 1e-4 * std::max(1.0, value))
          << name << " of epoch " << epoch;
}

void expect_like_keras(const Outcome& outcome, const TrajectoryCase& each) {
  NpzReader numbers(each.file("numbers"));
  const Json& rounding = each.description.at("rounding");
  EXPECT_LT(relative_distance(outcome.before, numbers.read("predictions_before")), 1e-4);
  if (!expect_step_losses(outcome.step_losses, numbers.read("step_losses"),
                          rounding.at("step_losses").as_array()))
    return;
  expect_logs(outcome.history, each.description.at("epochs").as_array());
  expect_close_as_rounding_allows(outcome.weights, numbers, "weight",
                                  rounding.at("weights").as_array());
  expect_close_as_rounding_allows(outcome.optimizer, numbers, "optimizer",
                                  rounding.at("optimizer").as_array());
  EXPECT_LT(relative_distance(outcome.after, numbers.read("predictions_after")), 1e-3);
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
  if (GetParam().folder != golden_models())
    GTEST_SKIP() << "plain loops take minutes for the full-size networks";
  auto backend = make_backend("reference", {});
  expect_like_keras(train(GetParam(), *backend), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Keras, Trajectory, testing::ValuesIn(all_cases()),
                         [](const auto& each) { return each.param.name(); });

}  // namespace
}  // namespace hornbeam
