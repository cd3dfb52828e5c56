// What Hornbeam writes, it reads back: every model of tests/golden/files, compiled and with the
// state of its optimizer. That Keras reads it is shown by tests/keras/roundtrip.py.
#include "keras/save.h"

#include <gtest/gtest.h>

#include "golden/cases.h"
#include "helpers.h"
#include "keras/load.h"
#include "keras/model_reader.h"
#include "keras/model_writer.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

SavedModel golden_model(const golden::Case& golden) {
  return load_model_file(
      HORNBEAM_TESTS_FOLDER "/golden/" + golden.group + "/" + golden.name + ".h5", {});
}

void expect_same_weights(Model& received, Model& expected) {
  std::vector<ModelWeight> after = received.weights(), before = expected.weights();
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].path, before[i].path);
    EXPECT_EQ(after[i].trained, before[i].trained) << after[i].path;
    EXPECT_TRUE(identical(after[i].weight->value, before[i].weight->value)) << after[i].path;
  }
}

void expect_same_state(const OptimizerState& received, const OptimizerState& expected) {
  EXPECT_EQ(received.iteration, expected.iteration);
  EXPECT_EQ(static_cast<float>(received.learning_rate), static_cast<float>(expected.learning_rate));
  ASSERT_EQ(received.slots.size(), expected.slots.size());
  for (size_t i = 0; i < expected.slots.size(); ++i)
    for (size_t slot = 0; slot < expected.slots[i].size(); ++slot)
      EXPECT_TRUE(identical(received.slots[i][slot], expected.slots[i][slot])) << i << ", " << slot;
}

class Saved : public testing::TestWithParam<golden::Case> {};

TEST_P(Saved, IsReadBack) {
  SavedModel before = golden_model(GetParam());
  TemporaryFolder folder;
  std::filesystem::path path = folder / "saved.keras";
  save_keras(path, *before.model, &*before.compile,
             sources_of(*before.model, &*before.optimizer_state));
  SavedModel after = load_model_file(path, {});
  expect_same_weights(*after.model, *before.model);
  expect_same_state(*after.optimizer_state, *before.optimizer_state);
  EXPECT_EQ(json_text(model_json(*after.model)), json_text(model_json(*before.model)));
  EXPECT_EQ(json_text(compile_config_json(*after.compile)),
            json_text(compile_config_json(*before.compile)));
}

INSTANTIATE_TEST_SUITE_P(Keras3, Saved, testing::ValuesIn(golden::cases("files/keras_3")),
                         golden::test_name);
INSTANTIATE_TEST_SUITE_P(Keras2, Saved, testing::ValuesIn(golden::cases("files/keras_2")),
                         golden::test_name);

Json by_keras(const golden::Case& golden) {
  return golden::read_json(golden.group + "/" + golden.name + ".json");
}

// Keras refuses tensors without a shape, and finds them by these histories.
TEST(ModelWriter, GivesTensorsTheShapesAndHistoriesThatKerasGives) {
  for (const golden::Case& golden : golden::cases("files/keras_3")) {
    if (golden.name != "picture" && golden.name != "nested") continue;
    Json written = model_json(*golden_model(golden).model).at("config").at("layers");
    Json expected = by_keras(golden).at("config").at("layers");
    ASSERT_EQ(written.as_array().size(), expected.as_array().size());
    for (size_t i = 0; i < expected.as_array().size(); ++i) {
      Json ours = written.as_array()[i].at("inbound_nodes");
      const Json& theirs = expected.as_array()[i].at("inbound_nodes");
      ASSERT_EQ(ours.as_array().size(), theirs.as_array().size());
      for (size_t node = 0; node < theirs.as_array().size(); ++node)
        EXPECT_EQ(json_text(ours.as_array()[node].at("args")),
                  json_text(theirs.as_array()[node].at("args")));
    }
  }
}

TEST(ModelWriter, NestsTheEndsOfAGraphAsKerasDoes) {
  for (const golden::Case& golden : golden::cases("files/keras_3")) {
    if (golden.name != "picture" && golden.name != "shared") continue;
    Json written = model_json(*golden_model(golden).model).at("config");
    for (const char* end : {"input_layers", "output_layers"})
      EXPECT_EQ(json_text(written.at(end)), json_text(by_keras(golden).at("config").at(end)));
  }
}

// As Keras 3.15 writes Model(a, [b]), Model({"x": a}, {"y": b}) and Model([a], (b, [b])).
TEST(ModelWriter, KeepsEveryFormOfEnds) {
  const std::pair<const char*, const char*> forms[] = {
      {R"(["a", 0, 0])", R"([["b", 0, 0]])"},
      {R"({"x": ["a", 0, 0]})", R"({"y": ["b", 0, 0]})"},
      {R"([["a", 0, 0]])", R"([["b", 0, 0], [["b", 0, 0]]])"},
  };
  for (const auto& [inputs, outputs] : forms) {
    Json json =
        parse_json(std::string(R"({"class_name": "Functional", "config": {"name": "m", "layers": [
            {"class_name": "InputLayer", "name": "a", "inbound_nodes": [],
             "config": {"name": "a", "batch_shape": [null, 2]}},
            {"class_name": "Dense", "name": "b", "config": {"name": "b", "units": 2},
             "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {
                 "shape": [null, 2], "dtype": "float32", "keras_history": ["a", 0, 0]}}],
             "kwargs": {}}]}], "input_layers": )") +
                       inputs + R"(, "output_layers": )" + outputs + "}}",
                   "test");
    Json written = model_json(*read_model(json, "m", {})).at("config");
    EXPECT_EQ(json_text(written.at("input_layers")), inputs);
    EXPECT_EQ(json_text(written.at("output_layers")), outputs);
  }
}

}  // namespace
}  // namespace hornbeam
