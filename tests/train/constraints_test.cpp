// Weights under constraints, trained as Keras trains them (tests/golden/constraints/training.*).
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "golden/cases.h"
#include "keras/load.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

TEST(Constraints, HoldAfterEveryStep) {
  golden::Numbers numbers("constraints", "training");
  for (const char* backend_name : {"cpu", "reference"}) {
    SavedModel saved =
        load_model_file(HORNBEAM_TESTS_FOLDER "/golden/constraints/training.keras", {});
    Dataset data{.inputs = {{"", numbers["input"]}}, .targets = {{"", numbers["target"]}}};
    std::unique_ptr<Backend> backend = make_backend(backend_name, {.threads = 2});
    Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = 4});
    trainer.fit(data, nullptr, {.epochs = 1, .shuffle = false});
    trainer.download();
    std::vector<ModelWeight> weights = saved.model->weights();
    std::vector<Tensor> expected = numbers.list("weight");
    ASSERT_EQ(weights.size(), expected.size());
    for (size_t i = 0; i < weights.size(); ++i)
      golden::expect_close(weights[i].weight->value, expected[i], weights[i].path, {1e-4, 1e-5});
  }
}

}  // namespace
}  // namespace hornbeam
