// Models in every form that Keras 3 and tf.keras 2.13 write them (tests/golden/files): what they
// predict, and how far their optimizers have come.
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "golden/cases.h"
#include "helpers.h"
#include "keras/load.h"
#include "train/trainer.h"

namespace hornbeam {
namespace {

std::string stem(const golden::Case& golden) {
  return HORNBEAM_TESTS_FOLDER "/golden/" + golden.group + "/" + golden.name;
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

void expect_predictions(const SavedModel& saved, const golden::Numbers& numbers,
                        const std::string& what) {
  std::vector<Tensor> received = predictions(*saved.model, numbers.list("input"));
  std::vector<Tensor> expected = numbers.list("output");
  ASSERT_EQ(received.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    golden::expect_close(received[i], expected[i], what, {1e-5, 1e-6});
}

void expect_slots(const SavedModel& saved, const golden::Numbers& numbers,
                  const std::string& what) {
  ASSERT_TRUE(saved.optimizer_state) << what;
  const auto& slots = saved.optimizer_state->slots;
  for (size_t weight = 0; weight < slots.size(); ++weight) {
    for (size_t slot = 0; slot < slots[weight].size(); ++slot) {
      std::string name = "slot_" + std::to_string(weight) + "_" + std::to_string(slot);
      ASSERT_TRUE(numbers.contains(name)) << what << ", " << name;
      EXPECT_TRUE(identical(slots[weight][slot], numbers[name])) << what << ", " << name;
    }
  }
}

void expect_compiled(const SavedModel& saved, const golden::Case& golden,
                     const golden::Numbers& numbers, const std::string& what) {
  ASSERT_TRUE(saved.compile && saved.compile->optimizer) << what;
  EXPECT_EQ(saved.compile->optimizer->class_name(), golden.description.at("optimizer").as_text());
  EXPECT_TRUE(saved.notes.empty()) << what << ": " << saved.notes.at(0);
  expect_slots(saved, numbers, what);
  EXPECT_EQ(saved.optimizer_state->iteration, 2) << what;  // an epoch of two batches
}

class Forms : public testing::TestWithParam<golden::Case> {};

TEST_P(Forms, OfWholeModels) {
  golden::Numbers numbers(GetParam());
  for (const char* ending : {".keras", ".h5"}) {
    if (!exists(stem(GetParam()) + ending)) continue;
    SavedModel saved = load_model_file(stem(GetParam()) + ending, {});
    expect_predictions(saved, numbers, ending);
    expect_compiled(saved, GetParam(), numbers, ending);
  }
}

// An epoch of two batches more.
std::vector<ModelWeight> gone_on(SavedModel& saved, const golden::Numbers& numbers) {
  Dataset data;
  for (size_t i = 0; Tensor & input : numbers.list("input"))
    data.inputs.push_back({saved.model->input_name(i++), std::move(input)});
  for (size_t i = 0; Tensor & target : numbers.list("target"))
    data.targets.push_back({saved.model->output_name(i++), std::move(target)});
  std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Trainer trainer(*saved.model, *saved.compile, *backend, {.batch = 2});
  trainer.set_optimizer_state(*saved.optimizer_state);
  trainer.fit(data, nullptr, {.shuffle = false});
  trainer.download();
  return saved.model->weights();
}

// Two more steps are enough to tell a weight that must not move from one that must.
TEST_P(Forms, GoOnAsInKeras) {
  golden::Numbers numbers(GetParam());
  if (!numbers.contains("weight_gone_on_0")) GTEST_SKIP() << "recorded of Keras 3 only";
  for (const char* ending : {".keras", ".h5"}) {
    SavedModel saved = load_model_file(stem(GetParam()) + ending, {});
    std::vector<Tensor> expected = numbers.list("weight_gone_on");
    std::vector<ModelWeight> received = gone_on(saved, numbers);
    ASSERT_EQ(received.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      golden::expect_close(received[i].weight->value, expected[i],
                           received[i].path + " of " + ending, {1e-5, 1e-5});
  }
}

class Parts : public testing::TestWithParam<golden::Case> {};

TEST_P(Parts, OfArchitecturesWithWeights) {
  golden::Numbers numbers(GetParam());
  for (const char* ending : {".weights.h5", ".h5"}) {
    SavedModel saved = load_model_file(stem(GetParam()) + ".json", stem(GetParam()) + ending);
    expect_predictions(saved, numbers, std::string(".json and ") + ending);
  }
}

// Not all cases have their architecture and weights in files of their own too.
std::vector<golden::Case> cases_with_parts(const std::string& group) {
  std::vector<golden::Case> all = golden::cases(group);
  std::erase_if(all, [](const golden::Case& each) { return !exists(stem(each) + ".json"); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Keras3, Forms, testing::ValuesIn(golden::cases("files/keras_3")),
                         golden::test_name);
INSTANTIATE_TEST_SUITE_P(Keras2, Forms, testing::ValuesIn(golden::cases("files/keras_2")),
                         golden::test_name);
INSTANTIATE_TEST_SUITE_P(Keras3, Parts, testing::ValuesIn(cases_with_parts("files/keras_3")),
                         golden::test_name);
INSTANTIATE_TEST_SUITE_P(Keras2, Parts, testing::ValuesIn(cases_with_parts("files/keras_2")),
                         golden::test_name);

}  // namespace
}  // namespace hornbeam
