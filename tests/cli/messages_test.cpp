// What the program says when something is wrong, and that it says nothing else.
#include <sys/stat.h>

#include <limits>

#include "base/files.h"
#include "cli/program.h"
#include "formats/npz.h"

namespace hornbeam {
namespace {

class Messages : public ProgramTest {
 protected:
  void expect(const Ran& ran, int exit, const std::vector<std::string>& parts) const {
    EXPECT_EQ(ran.exit, exit) << ran.err;
    for (const std::string& part : parts)
      EXPECT_NE(ran.err.find(part), std::string::npos) << part << "\n" << ran.err;
  }

  // Whole numbers, or what else is put in place of the number 5 in the second of three samples.
  std::string with_number(float number) const {
    Tensor x(DType::float32, {3, 4});
    x.values<float>()[5] = number;
    write_npz(file("x.npz"),
              std::vector<NamedTensor>{{"x", std::move(x)}, {"y", Tensor(DType::float32, {3, 2})}});
    return "x.npz";
  }

  // An Embedding of 5 rows; with `first`, another layer comes before it.
  std::string embedding(const std::string& first) const {
    write_text(file("embedding.json"), R"({"class_name": "Sequential", "config": {"name": "m",
        "layers": [{"class_name": "InputLayer", "config": {"name": "in",
        "batch_shape": [null, 4]}}, )" + first +
                                           R"({"class_name": "Embedding", "config": {
        "name": "words", "input_dim": 5, "output_dim": 2}}, {"class_name": "Flatten", "config": {
        "name": "flat"}}, {"class_name": "Dense", "config": {"name": "out", "units": 2}}]}})");
    return "embedding.json";
  }
};

TEST_F(Messages, NothingIsLeftOutOfACompiledButUntrainedFile) {
  std::string command = regression_model() + " --data " + regression_data();
  for (const char* program : {"train ", "evaluate ", "predict --out p.npy "}) {
    Ran ran = run(program + command);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_EQ(ran.err.find("left out"), std::string::npos) << ran.err;
  }
}

TEST_F(Messages, DataWithoutTargetsSaysWhereTheyBelong) {
  write_npz(file("x.npz"), std::vector<NamedTensor>{{"x", Tensor(DType::float32, {4, 3})}});
  for (const char* program : {"train ", "evaluate "})
    expect(
        run(program + regression_model() + " --data x.npz"), 3,
        {"error[H205]: the data has inputs but no targets", "--> x.npz", "array y", "--targets"});
}

TEST_F(Messages, AnIndexOutsideATableNamesLayerAndSample) {
  for (const char* program : {"train ", "predict --out p.npy "}) {
    std::string command = program + embedding("") + " --data ";
    expect(run(command + with_number(5)), 3,
           {"error[H206]: 5 is outside the 5 rows of the layer `words`, in sample 1", "`in`"});
    expect(run(command + with_number(std::numeric_limits<float>::quiet_NaN())), 3,
           {"error[H206]: nan is outside the 5 rows"});
    EXPECT_EQ(run(command + with_number(4.5f)).exit, 0);  // cut to 4, as in Keras
  }
}

TEST_F(Messages, AnIndexMadeByLayersIsFoundInTheStep) {
  std::string between = R"({"class_name": "Activation", "config": {"name": "a",
      "activation": "linear"}}, {"class_name": "Reshape", "config": {"name": "r",
      "target_shape": [2, 2]}},)";
  for (const char* device : {"cpu", "reference"}) {
    std::string command = "predict " + embedding(between) + " --out p.npy --device " + device;
    expect(run(command + " --data " + with_number(7)), 3,
           {"error[H206]: 7 is outside a table of 5 rows, in sample 1 of", "layer words"});
    Ran ran = run(command + " --data " + with_number(std::numeric_limits<float>::quiet_NaN()));
    expect(ran, 3, {"error[H206]: NaN or a huge number is outside"});
    EXPECT_EQ(ran.err.find("-2147483648"), std::string::npos);
  }
}

TEST_F(Messages, ALossThatIsNotFiniteLooksAtTheData) {
  Tensor x(DType::float32, {3, 3});
  x.values<float>()[4] = -std::numeric_limits<float>::quiet_NaN();
  write_npz(file("nan.npz"),
            std::vector<NamedTensor>{{"x", std::move(x)}, {"y", Tensor(DType::float32, {3, 2})}});
  expect(run("train " + regression_model() + " --data nan.npz --out one"), 5,
         {"error[H501]: the loss is nan in epoch 1, step 1", "--> nan.npz",
          "x (the inputs) has the value nan in sample 1", "help: leave such samples out"});
  EXPECT_EQ(run("evaluate " + regression_model() + " --data nan.npz").out, "loss: nan\n");
  EXPECT_EQ(run("predict " + regression_model() + " --data nan.npz --out p.csv").exit, 0);
  EXPECT_NE(text("p.csv").find("\nnan,nan\n"), std::string::npos);
  expect(run("train " + regression_model() + " --data " + regression_data() +
             " --optimizer \"SGD(learning_rate=1e30)\" --epochs 9 --out two"),
         5, {"the data has no NaN and no infinity", "smaller learning rate"});
}

TEST_F(Messages, OneHotRowsAndClassNumbersAreToldApart) {
  std::string numbers = " --data " + classes_data({0, 1, 2}) + " ";
  expect(run("evaluate " + classes_model() + numbers + "--loss binary_crossentropy"), 3,
         {"error[H205]", "sparse_categorical_crossentropy"});
  write_npz(file("rows.npz"), std::vector<NamedTensor>{{"x", Tensor(DType::float32, {3, 8, 8, 3})},
                                                       {"y", Tensor(DType::float32, {3, 10})}});
  expect(run("evaluate " + classes_model() + " --data rows.npz " +
             "--loss sparse_categorical_crossentropy"),
         3,
         {"error[H205]: a target of shape (10) does not fit SparseCategoricalCrossentropy of an "
          "output of shape (10)",
          "it takes one class number a sample", "belong to categorical_crossentropy"});
}

TEST_F(Messages, ALabelThatIsNoWholeNumberIsCalledSo) {
  write_npz(file("half.npz"), std::vector<NamedTensor>{{"x", Tensor(DType::float32, {1, 8, 8, 3})},
                                                       {"y", Tensor::of<float>({1}, {1.5f})}});
  expect(run("evaluate " + classes_model() + " --data half.npz"), 3,
         {"error[H204]: label 1.5 is no whole number", "labels run from 0 to 9"});
}

TEST_F(Messages, LongTextsSayMoreThanTheMessage) {
  for (const char* code : {"H104", "H202", "H301", "H304"})
    EXPECT_GT(run(std::string("explain ") + code).out.size(), 250u) << code;
}

TEST_F(Messages, NamesAreOfferedOnlyWhereTheyAreNear) {
  std::string command = "train " + regression_model() + " --data " + regression_data();
  expect(run(command + " --without-pass foo"), 2,
         {"--> --without-pass",
          "simplify, layout, pooling, microbatch, sample_products, fuse, recompute"});
  expect(run(command + " --without-pass fusee"), 2, {"did you mean 'fuse'?"});
  expect(run(command + " --device foo"), 2, {"--> --device", "there are: reference, cpu"});
  expect(run(command + " --bogus"), 2, {"train has no option --bogus", "--help lists"});
  expect(run(command + " --epochs 1 --epochs=2"), 2, {"--epochs is given more than once"});
}

// The shell counts blocks of 512 bytes; the program, not a signal, is to notice the end.
TEST_F(Messages, AFullDiskIsAnErrorAndLeavesNothing) {
  Ran ran = run_under("ulimit -f 20", "zoo lenet --out lenet.keras");
  expect(
      ran, 3,
      {"error[H120]: cannot write 'lenet.keras': File too large", "--> lenet.keras\n", "has room"});
  for (const auto& entry : std::filesystem::directory_iterator(file("")))
    EXPECT_FALSE(entry.path().filename().string().starts_with("lenet")) << entry.path();
}

TEST_F(Messages, AFolderThatIsMissingIsNamedAsTheReason) {
  for (const char* name : {"missing/lenet.keras", "missing/lenet.json"})
    expect(run(std::string("zoo lenet --out ") + name), 3,
           {std::string("cannot write '") + name + "': No such file or directory"});
}

TEST_F(Messages, APipeIsNoModel) {
  ASSERT_EQ(::mkfifo(file("pipe.keras").c_str(), 0600), 0);
  expect(run("inspect pipe.keras"), 3, {"error[H101]: cannot read 'pipe.keras': it is a pipe"});
}

TEST_F(Messages, AStepThatIsTooLargeSaysHowMuchItNeeds) {
  Ran ran = run("train zoo:article-mlp --data made:train --limit 32 --memory 100KiB");
  expect(ran, 4, {"error[H401]: the step needs", "that may be used"});
  EXPECT_EQ(ran.err.find("(s)"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("32 samples of"), std::string::npos) << ran.err;
}

TEST_F(Messages, ThreadsThatTheSystemDoesNotLendAreAnError) {
  expect(run_under("ulimit -v 400000", "evaluate " + regression_model() + " --data " +
                                           regression_data() + " --threads 1000"),
         4, {"error[H402]", "--threads N"});
}

}  // namespace
}  // namespace hornbeam
