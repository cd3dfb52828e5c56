// Compile states that leave something out, against Keras (tests/golden/generators/partial.py): the
// loss of an output, the optimizer; and a mask that no layer uses.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "base/files.h"
#include "train/golden_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

Json golden_json(const std::string& name) {
  return parse_json(read_text(golden_models() / name), name);
}

class PartialLosses : public testing::Test {
 protected:
  // Trained as Keras trained it, on the targets of those numbers.
  std::vector<EpochRecord> trained_on(const std::vector<int>& targets) {
    Dataset data;
    data.inputs.push_back({"", numbers.read("input")});
    for (int target : targets)
      data.targets.push_back({"", numbers.read("target_" + std::to_string(target))});
    std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = 4});
    return trainer.fit(data, nullptr, {.epochs = 2, .shuffle = false}).epochs;
  }

  void expect_logs(const std::vector<EpochRecord>& epochs, size_t count) const {
    const Json history = golden_json("partial_losses.json");
    for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      ASSERT_EQ(epochs[epoch].logs.size(), count);
      for (const auto& [name, value] : epochs[epoch].logs)
        EXPECT_NEAR(value, history.at(name).as_array()[epoch].as_number(), 1e-5) << name;
    }
  }

  NpzReader numbers{golden_models() / "partial_losses.npz"};
  SavedModel saved = load_model_file(golden_models() / "partial_losses.keras", "");
};

TEST_F(PartialLosses, MeasureTheOutputWithoutALoss) { expect_logs(trained_on({0, 1, 2}), 5); }

TEST_F(PartialLosses, NeedNoTargetWhereNothingIsMeasured) { expect_logs(trained_on({0, 2}), 4); }

TEST_F(PartialLosses, RefuseAnotherNumberOfTargets) { EXPECT_THROW(trained_on({0}), Error); }

TEST(WithoutOptimizer, LossAndMetricsStay) {
  NpzReader numbers(golden_models() / "without_optimizer.npz");
  SavedModel saved = load_model_file(golden_models() / "without_optimizer.keras", "");
  ASSERT_TRUE(saved.compile);
  EXPECT_EQ(saved.compile->optimizer, nullptr);
  ASSERT_EQ(saved.notes.size(), 1u);  // of the optimizer's state
  Dataset data;
  data.inputs.push_back({"", numbers.read("input")});
  data.targets.push_back({"", numbers.read("target")});
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = 4});
  const Json logs = golden_json("without_optimizer.json").at("logs");
  for (const auto& [name, value] : trainer.evaluate(data))
    EXPECT_NEAR(value, logs.at(name).as_number(), 1e-6) << name;
}

}  // namespace
}  // namespace hornbeam
