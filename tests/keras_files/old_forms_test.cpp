// Files in the manner of Keras 1 and 2 (tests/golden/files/old): names, kernels turned and
// mirrored, the orders of optimizers' slots.
#include <gtest/gtest.h>

#include "golden/cases.h"
#include "helpers.h"
#include "keras/load.h"

namespace hornbeam {
namespace {

SavedModel old_file(const std::string& name) {
  return load_model_file(HORNBEAM_TESTS_FOLDER "/golden/files/old/" + name + ".h5", {});
}

class OldForms : public testing::TestWithParam<golden::Case> {};

TEST_P(OldForms, PredictAsThePresentModel) {
  golden::Numbers numbers(GetParam());
  SavedModel saved = old_file(GetParam().name);
  Tensor received = predictions(*saved.model, numbers.list("input"))[0];
  golden::expect_close(received, numbers["output_0"], GetParam().name, {1e-5, 1e-6});
}

INSTANTIATE_TEST_SUITE_P(Keras, OldForms, testing::ValuesIn(golden::cases("files/old")),
                         golden::test_name);

struct OldOptimizer {
  const char *file, *class_name;
  int64_t iteration;
  size_t slots;
};

// RMSprop did not store its iteration, and SGD stored moments that it did not use.
TEST(OldOptimizers, KeepTheirStates) {
  for (const OldOptimizer& expected : {OldOptimizer{"adam_of_keras_2", "Adam", 7, 2},
                                       {"sgd_of_keras_2", "SGD", 7, 1},
                                       {"plain_sgd_of_keras_2", "SGD", 7, 0},
                                       {"rmsprop_of_keras_2", "RMSprop", 0, 1}}) {
    SCOPED_TRACE(expected.file);
    SavedModel saved = old_file(expected.file);
    ASSERT_TRUE(saved.compile && saved.compile->optimizer && saved.optimizer_state);
    EXPECT_EQ(saved.compile->optimizer->class_name(), expected.class_name);
    EXPECT_EQ(saved.compile->optimizer->learning_rate, 0.01);
    EXPECT_EQ(saved.optimizer_state->iteration, expected.iteration);
    golden::Numbers numbers("files/old", expected.file);
    for (size_t weight = 0; weight < 2; ++weight) {
      ASSERT_EQ(saved.optimizer_state->slots[weight].size(), expected.slots);
      for (size_t slot = 0; slot < expected.slots; ++slot)
        EXPECT_TRUE(
            identical(saved.optimizer_state->slots[weight][slot],
                      numbers["slot_" + std::to_string(weight) + "_" + std::to_string(slot)]));
    }
  }
}

}  // namespace
}  // namespace hornbeam
