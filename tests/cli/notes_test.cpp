// What the program says of data and settings that it can use all the same.
#include <algorithm>

#include "base/files.h"
#include "cli/program.h"
#include "formats/npz.h"

namespace hornbeam {
namespace {

constexpr const char* scale_hint = "note: the inputs span 0 to 255";

class Notes : public ProgramTest {
 protected:
  static int64_t times(const std::string& part, const std::string& text) {
    int64_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }

  // 4 samples of 8 numbers, and targets of one column.
  template <class T>
  std::string data(std::initializer_list<T> ends, std::vector<float> targets = {0, 1, 1, 0}) const {
    Tensor x = Tensor::of<T>({4, 8}, std::vector<T>(32, *ends.begin()));
    x.values<T>().back() = *(ends.end() - 1);
    write_npz(file("data.npz"),
              std::vector<NamedTensor>{
                  {"x", std::move(x)},
                  {"y", Tensor::of<float>({4, 1}, std::span<const float>(targets))}});
    return "data.npz";
  }

  // Layers of one model, behind an input of 8 numbers.
  std::string model(const std::string& layers) const {
    write_text(file("model.json"), R"({"class_name": "Sequential", "config": {"name": "m",
        "layers": [{"class_name": "InputLayer", "config": {"name": "in",
        "batch_shape": [null, 8]}}, )" +
                                       layers + "]}}");
    return "model.json";
  }

  static constexpr const char* dense =
      R"({"class_name": "Dense", "config": {"name": "out", "units": 1, "activation": "sigmoid"}})";
};

TEST_F(Notes, HintAtRescalingOnce) {
  for (bool floats : {false, true}) {
    std::string bytes = floats ? data<float>({0, 255}) : data<uint8_t>({0, 255});
    Ran ran = run("train " + model(dense) + " --data " + bytes + " --validation " + bytes);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_EQ(times(scale_hint, ran.err), 1) << ran.err;
  }
}

TEST_F(Notes, HintAtRescalingOnlyWhereItIsMissing) {
  std::string rescaled = R"({"class_name": "Rescaling", "config": {"name": "r", "scale": 0.1}},)";
  std::string embedded = R"({"class_name": "Embedding", "config": {"name": "e", "input_dim": 256,
      "output_dim": 2}}, {"class_name": "Flatten", "config": {"name": "f"}},)";
  auto hints = [&](const std::string& layers, const std::string& more) {
    Ran ran = run("predict " + model(layers) + " --data data.npz --out p.csv" + more);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return times(scale_hint, ran.err);
  };
  data<uint8_t>({0, 255});
  EXPECT_EQ(hints(dense, ""), 1);
  EXPECT_EQ(hints(rescaled + dense, ""), 0);
  EXPECT_EQ(hints(embedded + dense, ""), 0);
  EXPECT_EQ(hints(dense, " --transform \"Rescaling(scale=1/255)\""), 0);
  data<float>({-1, 255});
  EXPECT_EQ(hints(dense, ""), 0);
  data<uint8_t>({0, 9});
  EXPECT_EQ(hints(dense, ""), 0);
}

TEST_F(Notes, SayWhenTargetsAreNoProbabilities) {
  constexpr const char* note = "BinaryCrossentropy takes targets from 0 to 1";
  Ran odd = run("evaluate " + model(dense) + " --data " + data<float>({0, 1}, {0, 1, 3, 2}));
  EXPECT_EQ(odd.exit, 0) << odd.err;
  EXPECT_NE(odd.err.find(note), std::string::npos) << odd.err;
  EXPECT_NE(odd.err.find("has 3;"), std::string::npos) << odd.err;
  Ran good = run("evaluate " + model(dense) + " --data " + data<float>({0, 1}));
  EXPECT_EQ(good.err.find(note), std::string::npos) << good.err;
}

TEST_F(Notes, SayWhenWeightsAreFresh) {
  constexpr const char* note = "model.json holds no weights; fresh random ones are used";
  std::string rest = " --data " + data<float>({0, 1});
  EXPECT_NE(run("predict " + model(dense) + rest + " --out p.csv").err.find(note),
            std::string::npos);
  EXPECT_NE(run("evaluate " + model(dense) + rest).err.find(note), std::string::npos);
  Ran trained = run("predict " + regression_model() + " --out p.csv --data " + regression_data());
  EXPECT_EQ(trained.err.find("holds no weights"), std::string::npos) << trained.err;
}

TEST_F(Notes, SayWhenNothingIsTrained) {
  std::string frozen = R"({"class_name": "Dense", "config": {"name": "out", "units": 1,
      "trainable": false}})";
  std::string rest = " --data " + data<float>({0, 1}) + " --overwrite --out ";
  EXPECT_NE(run("train " + model(frozen) + rest + "one").err.find("note: nothing is trained"),
            std::string::npos);
  Ran free = run("train " + model(dense) + rest + "two");
  EXPECT_EQ(free.err.find("nothing is trained"), std::string::npos) << free.err;
}

TEST_F(Notes, SayWhenReplicasHaveNothingToDo) {
  std::string command = "train " + regression_model() + " --data " + regression_data() + " ";
  Ran ran = run(command + "--batch 4 --replicas 8 --out one");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.err.find("note: 8 replicas share a batch of 4"), std::string::npos) << ran.err;
  Ran enough = run(command + "--batch 8 --replicas 8 --out two");
  EXPECT_EQ(enough.err.find("replicas share"), std::string::npos) << enough.err;
}

TEST_F(Notes, SayWhichOptimizerACompiledFileWithoutOneGets) {
  std::string model = HORNBEAM_TESTS_FOLDER "/golden/models/without_optimizer";
  Ran ran = run("train " + model + ".keras --out one --data " + model + ".npz --limit 5");
  EXPECT_NE(run("inspect " + model + ".keras").out.find("loss              sparse_"),
            std::string::npos);
  EXPECT_EQ(ran.exit, 3) << ran.err;  // its arrays have other names
  EXPECT_NE(ran.err.find("note: optimizer rmsprop with Keras' settings, because the file is "
                         "compiled and names none"),
            std::string::npos)
      << ran.err;
}

TEST_F(Notes, TablesOfSeveralOutputsHaveAHeader) {
  Tensor x(DType::float32, {3, 4});
  write_npz(file("two.npz"), std::vector<NamedTensor>{{"a", x}, {"b", x}});
  std::string model = HORNBEAM_TESTS_FOLDER "/golden/files/keras_3/shared.keras";
  Ran ran = run("predict " + model + " --data two.npz --out p.csv");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(text("p.csv").substr(0, 23), "second,first_0,first_1\n") << text("p.csv");
  EXPECT_EQ(std::ranges::count(text("p.csv"), '\n'), 4);
}

}  // namespace
}  // namespace hornbeam
