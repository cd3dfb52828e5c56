// Trainings that stop, are saved, loaded and go on, against one that never stopped, and against
// Keras.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "keras/save.h"
#include "temporary_folder.h"
#include "train/golden_models.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

constexpr int64_t batch = 4, half = 2, all = 4;

class Resumed : public testing::Test {
 protected:
  void fit(SavedModel& saved, int64_t first, int64_t last) {
    Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = batch});
    if (saved.optimizer_state) trainer.set_optimizer_state(*saved.optimizer_state);
    trainer.fit(data(), nullptr, {.epochs = last, .initial_epoch = first, .shuffle = false});
    trainer.download();
    saved.optimizer_state = trainer.optimizer_state();
  }

  Dataset data() const {
    Dataset data;
    data.inputs.push_back({"", numbers.read("input")});
    data.targets.push_back({"", numbers.read("target")});
    return data;
  }

  void expect_weights_of_keras(const SavedModel& saved) const {
    std::vector<Tensor> weights = weights_of(saved);
    for (size_t i = 0; i < weights.size(); ++i)
      EXPECT_LT(relative_distance(weights[i], numbers.read("weight_" + std::to_string(i))), 1e-5);
  }

  NpzReader numbers{golden_models() / "resumed.npz"};
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
};

TEST_F(Resumed, FromAFileOfKerasEndsWhereKerasEnds) {
  SavedModel saved = load_model_file(golden_models() / "resumed_half.keras", "");
  ASSERT_TRUE(saved.optimizer_state);
  EXPECT_EQ(saved.optimizer_state->iteration,
            numbers.read("iterations_half").converted(DType::int64).values<int64_t>()[0]);
  fit(saved, half, all);
  expect_weights_of_keras(saved);
}

TEST_F(Resumed, FromItsOwnFileHasTheBitsOfOneThatNeverStopped) {
  SavedModel straight = load_model_file(golden_models() / "resumed_fresh.keras", "");
  fit(straight, 0, all);
  expect_weights_of_keras(straight);
  SavedModel first = load_model_file(golden_models() / "resumed_fresh.keras", "");
  fit(first, 0, half);
  TemporaryFolder folder;
  std::filesystem::path file = folder / "resumed.keras";
  save_keras(file, *first.model, &*first.compile,
             sources_of(*first.model, &*first.optimizer_state));
  SavedModel second = load_model_file(file, "");
  fit(second, half, all);
  for (size_t i = 0; i < weights_of(straight).size(); ++i)
    EXPECT_TRUE(identical(weights_of(second)[i], weights_of(straight)[i])) << i;
}

}  // namespace
}  // namespace hornbeam
