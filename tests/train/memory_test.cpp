// The memory of a whole fit, with validation and saving, against the plan of its step.
#include <gtest/gtest.h>
#include <malloc.h>

#include <filesystem>
#include <fstream>

#include "backends/backends.h"
#include "data/made.h"
#include "keras/save.h"
#include "nn/zoo.h"
#include "process_memory.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

void forget_the_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

TEST(Memory, OfAFitIsThatOfTheStep) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  auto backend = make_backend("cpu", {.threads = 2});
  std::shared_ptr<Model> model = zoo_model("article-cnn");
  model->initialize(0);
  CompileConfig config{.optimizer = optimizer_by_name("adam", "test"),
                       .loss = "sparse_categorical_crossentropy",
                       .metrics = Json::Array{"accuracy"}};
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "memory.keras";
  Dataset data = made_images(40, 10, 0);
  Trainer trainer(*model, config, *backend, {.batch = 32});
  auto save = [&](const History&) {
    trainer.download();
    save_keras(file, *model, &config, &trainer.optimizer_state());
    return true;
  };
  save({});  // loads the HDF5 library
  malloc_trim(0);
  forget_the_peak();
  double start = status_bytes("VmRSS");
  trainer.fit(data, &data, {.epochs = 2, .epoch_end = save});
  double grown = status_bytes("VmHWM") - start;
  double planned = static_cast<double>(trainer.compile_training(data).memory_plan().peak_bytes);
  EXPECT_GT(planned, 80e6);
  EXPECT_LT(grown, planned * 1.05);
  EXPECT_GT(grown, planned * 0.95);
}

}  // namespace
}  // namespace hornbeam
