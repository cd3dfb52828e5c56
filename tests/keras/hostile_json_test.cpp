// JSON of models that is well-formed and wrong: other kinds of values everywhere, huge numbers,
// circles, names that are not unique, graphs of any depth.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "keras/load.h"
#include "refusals.h"

namespace hornbeam {
namespace {

SavedModel load_text(const std::string& text) {
  auto bytes = std::as_bytes(std::span(text));
  return load_model({bytes.begin(), bytes.end()}, "hostile.json");
}

// --- every value of a model replaced by values of all kinds ---

// How many values there are in `json`, itself included.
size_t count_of(const Json& json) {
  size_t count = 1;
  if (json.is_array())
    for (const Json& item : json.as_array()) count += count_of(item);
  if (json.is_object())
    for (const auto& [key, item] : json.as_object()) count += count_of(item);
  return count;
}

// The same with value number `number` replaced; counted as count_of does.
Json with_replaced(const Json& json, size_t& number, const Json& value) {
  if (number-- == 0) return value;
  if (json.is_array()) {
    Json::Array items;
    for (const Json& item : json.as_array()) items.push_back(with_replaced(item, number, value));
    return items;
  }
  if (!json.is_object()) return json;
  Json::Object members;
  for (const auto& [key, item] : json.as_object())
    members.emplace_back(key, with_replaced(item, number, value));
  return members;
}

void expect_value_or_refusal(const std::string& text) {
  try {
    load_text(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code().exit, Exit::input) << error.what() << "\n" << text;
  }
}

class WrongValues : public testing::TestWithParam<std::string> {};

TEST_P(WrongValues, AreTakenOrRefused) {
  std::string path = HORNBEAM_TESTS_FOLDER "/golden/files/" + GetParam();
  Json model = parse_json(read_text(path), path);
  const Json values[] = {nullptr,
                         true,
                         -1,
                         int64_t{1} << 62,
                         1e300,
                         "",
                         "x",
                         Json::Array{},
                         Json::Array{Json::Array{}, -7},
                         Json::Object{}};
  for (size_t i = 0; i < count_of(model); ++i)
    for (const Json& value : values) {
      size_t number = i;
      expect_value_or_refusal(json_text(with_replaced(model, number, value)));
    }
}

INSTANTIATE_TEST_SUITE_P(Models, WrongValues,
                         testing::Values("keras_3/sequential.json", "keras_3/nested.json",
                                         "keras_2/shared.json", "keras_2/sequential.json"),
                         name_of_file);

// --- graphs that are none ---

std::string input_layer(const std::string& name) {
  return fmt::format(
      R"({{"class_name": "InputLayer", "name": "{0}", "config": {{"name": "{0}", "batch_input_shape": [null, 2]}}, "inbound_nodes": []}})",
      name);
}

// A layer of two units, called once for each of `inputs`.
std::string dense(const std::string& name, const std::string& nodes, int64_t units = 2) {
  return fmt::format(
      R"({{"class_name": "Dense", "name": "{0}", "config": {{"name": "{0}", "units": {2}}}, "inbound_nodes": {1}}})",
      name, nodes, units);
}

std::string called_with(const std::string& layer, int node = 0, int tensor = 0) {
  return fmt::format(R"([[["{}", {}, {}, {{}}]]])", layer, node, tensor);
}

std::string graph(const std::string& layers, const std::string& end = "b",
                  const std::string& begin = "a") {
  return fmt::format(
      R"({{"class_name": "Model", "config": {{"name": "m", "layers": [{}], "input_layers": [["{}", 0, 0]], "output_layers": [["{}", 0, 0]]}}}})",
      layers, begin, end);
}

struct BrokenGraph {
  std::string json, code, part;
};

TEST(HostileGraphs, AreRefusedWithTheLayerAndTheReason) {
  std::string a = input_layer("a");
  const BrokenGraph graphs[] = {
      {graph(a + "," + dense("b", called_with("c")) + "," + dense("c", called_with("b"))), "H113",
       "the layers form a circle"},
      {graph(a + "," + dense("b", called_with("b"))), "H113", "the layers form a circle"},
      {graph(a + "," + dense("b", called_with("a")) + "," + dense("b", called_with("a"))), "H113",
       "two layers are named 'b'"},
      {graph(a + "," + dense("b", called_with("nowhere"))), "H113", "a layer 'nowhere'"},
      {graph(a + "," + dense("b", called_with("a", 3))), "H113", "no call 3 of a layer 'a'"},
      {graph(a + "," + dense("b", called_with("a", 0, 5))), "H113", "m/a (InputLayer)"},
      {graph(a + "," + dense("b", called_with("a", -1))), "H113", "is negative"},
      {graph(a + "," + dense("b", "[]")), "H113", "m/b (Dense)"},
      {graph(a + "," + dense("b", called_with("a")), "c"), "H113", "a layer 'c'"},
      {graph(a + "," + dense("b", called_with("a")), "b", "b"), "H113", "input"},
      {graph(dense("b", called_with("a"))), "H113", "a layer 'a'"},
      {graph(""), "H113", "a layer"},
      {graph(a + "," + dense("b", called_with("a"), int64_t{1} << 62)), "H114", "b (Dense)"},
      {graph(a + "," + dense("b", called_with("a"), 0)), "H111", "units"},
      {graph(a + "," + dense("b", R"([[["a", 0]]])")), "H113", "incomplete"},
  };
  for (const BrokenGraph& each : graphs)
    expect_failure(each.code, each.part, [&] { load_text(each.json); });
}

// --- models without end ---

std::string sequential(const std::string& layers) {
  return R"({"class_name": "Sequential", "config": {"name": "s", "layers": [)" + layers + "]}}";
}

std::string repeated(const std::string& item, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ", ") + fmt::format(fmt::runtime(item), i);
  return all;
}

constexpr const char* relu_number = R"({{"class_name": "ReLU", "config": {{"name": "r{}"}}}})";

TEST(DeepModels, LoadWithoutRecursion) {
  std::string input =
      R"({"class_name": "InputLayer", "config": {"name": "i", "batch_input_shape": [null, 2]}}, )";
  SavedModel saved = load_text(sequential(input + repeated(relu_number, 15'000)));
  EXPECT_EQ(saved.model->layers().size(), 15'000u);
  std::string chain = input_layer("n0");
  for (int i = 1; i < 15'000; ++i)
    chain += "," + dense(fmt::format("n{}", i), called_with(fmt::format("n{}", i - 1)));
  EXPECT_EQ(load_text(graph(chain, "n14999", "n0")).model->calls.size(), 15'000u);
}

TEST(DeepModels, AreRefusedBeyondAnyUse) {
  expect_failure("H113", "more than 20000 layer calls",
                 [] { load_text(sequential(repeated(relu_number, 100'000))); });
  std::string chain = input_layer("n0");
  for (int i = 1; i < 100'000; ++i)
    chain += "," + dense(fmt::format("n{}", i), called_with(fmt::format("n{}", i - 1)));
  expect_failure("H113", "more than 20000 layer calls",
                 [&] { load_text(graph(chain, "n99999", "n0")); });
}

// Each level calls the one below twice: 2 to the power of 40 calls when written out.
TEST(DeepModels, ThatCallModelsThatCallModelsAreCountedWrittenOut) {
  std::string model = R"({"class_name": "ReLU", "config": {"name": "r"}})";
  for (int level = 0; level < 40; ++level) {
    std::string twice = fmt::format(R"([[["a", 0, 0, {{}}]], [["inner", 0, 0, {{}}]]])");
    std::string inner = model;
    inner.insert(1, R"("name": "inner", "inbound_nodes": )" + twice + ", ");
    model = fmt::format(
        R"({{"class_name": "Functional", "config": {{"name": "inner", "layers": [{}, {}], "input_layers": [["a", 0, 0]], "output_layers": [["inner", 1, 0]]}}}})",
        input_layer("a"), inner);
  }
  expect_failure("H113", "more than 20000 layer calls", [&] { load_text(model); });
}

TEST(DeepModels, NestedTooDeepAreRefusedByTheJson) {
  std::string model = sequential("");
  for (int level = 0; level < 300; ++level) model = sequential(model);
  expect_failure("H104", "nested too deeply", [&] { load_text(model); });
}

}  // namespace
}  // namespace hornbeam
