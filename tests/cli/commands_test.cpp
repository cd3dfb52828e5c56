// The other commands, as processes.
#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "cli/program.h"
#include "formats/npz.h"
#include "process_memory.h"
#include "stablehlo/verify.h"

namespace hornbeam {
namespace {

class Commands : public ProgramTest {};

TEST_F(Commands, EvaluateGivesLossAndMetrics) {
  std::string command = "evaluate " + classes_model() + " --data " + classes_data({0, 1, 2});
  Ran shown = run(command);
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out.find("accuracy: "), 0u) << shown.out;
  Json report = run(command + " --json").json();
  EXPECT_EQ(keys(report), (std::vector<std::string>{"accuracy", "loss"}));
}

TEST_F(Commands, PredictWritesArraysAndTables) {
  std::string command = "predict " + regression_model() + " --data " + regression_data();
  for (const char* name : {"p.npy", "p.npz", "p.csv"})
    EXPECT_EQ(run(command + " --out " + name).exit, 0) << name;
  std::string csv = text("p.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 10);
  EXPECT_EQ(std::ranges::count(csv, ','), 10);
  EXPECT_EQ(
      run("evaluate " + regression_model() + " --data " + regression_data() + " --policy float32")
          .exit,
      0);
  NpzReader archive(file("p.npz"));
  ASSERT_EQ(archive.names().size(), 1u);
  EXPECT_EQ(archive.read(archive.names()[0]).shape(), (Shape{10, 2}));
  Json report = run(command + " --out p.npy --json").json();
  EXPECT_EQ(report.at("outputs").as_array()[0].at("shape"), Json(Json::Array{10, 2}));
  Ran early = run("predict " + regression_model() + " --data no_such --out p.txt");
  EXPECT_EQ(early.exit, 2) << early.err;
  Ran refused = run(command + " --out p.txt");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("--> --out"), std::string::npos) << refused.err;
  EXPECT_EQ(run(command).exit, 2);
}

TEST_F(Commands, EvaluateAndPredictShowHowFarTheyAre) {
  std::string evaluate = "evaluate " + classes_model() + " --data " + classes_data({0, 1, 2});
  Ran shown = run_on_a_terminal(evaluate + " --batch 2");
  EXPECT_NE(shown.out.find("2/2"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("/step - accuracy: "), std::string::npos) << shown.out;
  EXPECT_EQ(run(evaluate + " --batch 2").err.find("2 steps - "), 0u);
  EXPECT_EQ(run(evaluate + " --progress none").err, "");
  std::string predict = "predict " + regression_model() + " --data " + regression_data();
  EXPECT_NE(run(predict + " --out p.csv --batch 3").err.find("4 steps - "), std::string::npos);
  EXPECT_EQ(run(predict + " --out p.csv --quiet").err, "");
}

TEST_F(Commands, PredictIgnoresSampleWeights) {
  write_npz(file("plain.npz"), std::vector<NamedTensor>{{"x", Tensor(DType::float32, {4, 3})}});
  write_npz(file("weighted.npz"),
            std::vector<NamedTensor>{{"x", Tensor(DType::float32, {4, 3})},
                                     {"y", Tensor(DType::float32, {4, 2})},
                                     {"sample_weight", Tensor(DType::float32, {4})}});
  std::string command = "predict " + regression_model() + " --data ";
  EXPECT_EQ(run(command + "plain.npz --out a.csv").exit, 0);
  Ran weighted = run(command + "weighted.npz --out b.csv");
  EXPECT_EQ(weighted.exit, 0) << weighted.err;
  EXPECT_EQ(text("a.csv"), text("b.csv"));
}

TEST_F(Commands, ResultsThatCannotBeWrittenAreAFault) {
  std::ofstream(file("stdout")) << "";  // nothing else makes it here
  std::string evaluate = "evaluate " + classes_model() + " --data " + classes_data({0, 1, 2});
  for (const std::string& command :
       {evaluate, evaluate + " --json", std::string("zoo"), std::string("explain"),
        std::string("--help"), std::string("plan zoo:lenet"), std::string("inspect zoo:lenet")}) {
    Ran ran = run(command + " >/dev/full 2>stderr #");
    EXPECT_EQ(ran.exit, 3) << command;
    EXPECT_NE(ran.err.find("the results cannot be written"), std::string::npos) << ran.err;
  }
}

TEST_F(Commands, WrongValuesAreWrongUse) {
  std::string data = " --data " + classes_data({0, 1, 2}) + " ";
  struct {
    std::string arguments, says;
  } const refusals[] = {
      {"evaluate " + classes_model() + data + "--loss foo", "there are: "},
      {"evaluate " + classes_model() + data + "--metrics acuracy", "did you mean 'accuracy'?"},
      {"train " + classes_model() + data + "--optimizer foo", "there are: "},
      {"train " + classes_model() + data + "--optimizer \"Adam(lr=1)\"", "learning_rate"},
      {"evaluate zoo:nope" + data, "hornbeam zoo lists"},
      {"train " + classes_model() + data + "--class-weight foo", "--> --class-weight"},
      {"train " + classes_model() + data + "--class-weight '{\"77\": 1}'", "no class 77"},
      {"train " + classes_model() + data + "--class-weight '{\"1\": -1}'", "below 0"},
      {"evaluate " + classes_model() + data + "--transform \"Rescaling(offset=1)\"", "scale"},
      {"train " + classes_model() + data + "--without-pass foo", "simplify"},
      {"evaluate " + classes_model() + data + "--weights no_such.h5", "--> --weights"},
      {"evaluate zoo:lenet" + data + "--weights no_such.h5", "--> --weights"},
      {"evaluate " + classes_model() + data + "--progress foo", "plain"},
      {"evaluate " + classes_model() + data + "--policy mixed_float16",
       "float32 and mixed_bfloat16"},
      {"evaluate " + classes_model() + " --data made:foo", "made:cifar10"},
      {"train " + classes_model() + data + "--batch 9223372036854775807", "expected 1 to 2147"},
      {"train " + classes_model() + data + "--replicas 100000", "expected 1 to 4096"},
      {"train " + classes_model() + data + "--optimizer ''", "an empty value"},
      {"train " + classes_model() + data + "--loss ''", "an empty value"},
      {"train " + classes_model() + data + "--optimizer 'SGD(momentum=0.1, momentum=0.2)'",
       "'momentum' is given before"},
      {"train " + classes_model() + data + "--optimizer 'SGD(learning_rate=CosineDecay())'",
       "learning-rate schedules, here \"CosineDecay\", are not supported; give a number"},
      {"train " + classes_model() + data + "one two", "train has no use for 'one'"},
      {"train " + classes_model() + data + "--epochs", "--epochs needs a value"},
      {"train " + classes_model() + data + "--quiet=foo", "a switch is given or not"},
      {"train " + classes_model() + data + "--validation-split half", "'half' is no number"},
      {"zoo foo", "hornbeam zoo lists"},
  };
  for (const auto& refusal : refusals) {
    Ran ran = run(refusal.arguments);
    EXPECT_EQ(ran.exit, 2) << refusal.arguments << "\n" << ran.err;
    EXPECT_NE(ran.err.find(refusal.says), std::string::npos) << refusal.arguments << "\n"
                                                             << ran.err;
  }
}

TEST_F(Commands, PlanSaysBeforehandWhatFits) {
  Json report = run("plan zoo:article-cnn --batch 256 --json").json();
  EXPECT_EQ(keys(report), (std::vector<std::string>{
                              "fits", "planned_peak_bytes", "by_use", "largest", "slices",
                              "microbatch", "predicted_slowdown", "recomputed", "threads"}));
  EXPECT_TRUE(report.at("fits").as_bool());
  int64_t uses = 0;
  for (const auto& [use, bytes] : report.at("by_use").as_object()) uses += bytes.as_integer();
  EXPECT_EQ(uses, report.at("planned_peak_bytes").as_integer());
  Ran refused = run("plan zoo:article-cnn --batch 256 --memory 50MiB");
  EXPECT_EQ(refused.exit, 4);
  EXPECT_NE(refused.out.find("together"), std::string::npos);
  EXPECT_NE(refused.out.find("Does not fit: the step needs "), std::string::npos) << refused.out;
}

TEST_F(Commands, SayWhyFewerThreadsRunThanWereAskedFor) {
  const std::string asked = " zoo:lenet --batch 8 --threads 64 --memory ";
  auto peak = [&](const std::string& memory) {
    return run("plan" + asked + memory + " --json").json().at("planned_peak_bytes").as_integer();
  };
  const int64_t limit = peak("1GiB") - (1 << 20);
  Json cut = run("plan" + asked + std::to_string(limit) + " --json").json();
  EXPECT_TRUE(cut.at("fits").as_bool());
  EXPECT_EQ(cut.at("microbatch").as_integer(), 0);
  EXPECT_LT(cut.at("threads").as_integer(), 64);
  EXPECT_GT(cut.at("threads").as_integer(), 32);
  Ran shown = run("plan" + asked + std::to_string(limit));
  EXPECT_NE(shown.out.find("of 64 threads: --memory larger by 1.00 MiB has room"),
            std::string::npos)
      << shown.out;
}

TEST_F(Commands, RefusalsSayWhatIsNeededAndWhatToChange) {
  const std::string asked = " zoo:lenet --batch 50000 --memory 100MiB --data made.npz";
  write_npz(file("made.npz"),
            std::vector<NamedTensor>{{"x", Tensor(DType::uint8, {50000, 28, 28, 1})},
                                     {"y", Tensor(DType::uint8, {50000})}});
  Ran plan = run("plan" + asked), train = run("train" + asked);
  EXPECT_EQ(plan.exit, 4);
  EXPECT_EQ(train.exit, 4);
  for (const std::string& text : {plan.out, train.err})
    for (const char* part : {"of 100.00 MiB that may be used, even with ", "allow 1",
                             "with --memory or take a --batch of at most about 4",
                             "50,000 samples as they come in 112.30 MiB"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_FALSE(std::filesystem::exists(file("runs")));
}

// Without --memory a step gets what the system leaves, here of the address space.
TEST_F(Commands, TrainsWithinTheLimitOfTheSystem) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs address space of its own";
  write_npz(file("made.npz"),
            std::vector<NamedTensor>{{"x", Tensor(DType::uint8, {8192, 28, 28, 1})},
                                     {"y", Tensor(DType::uint8, {8192})}});
  const std::string command = "train zoo:lenet --data made.npz --batch 8192 --threads 2 --out ";
  Ran limited = run_under("ulimit -v 400000", command + "limited");
  EXPECT_EQ(limited.exit, 0) << limited.err;
  EXPECT_NE(text("limited/plan.txt").find(" microbatches of "), std::string::npos);
  Ran given = run_under("ulimit -v 400000", command + "given --memory 100MiB");
  EXPECT_EQ(given.exit, 0) << given.err;
}

// 4 x 25,600 x 25,600 are 2,621,440,000 elements: no count wraps on the way to the user.
TEST_F(Commands, PlanCountsLargeTensors) {  // case B51
  write_text(file("large.json"),
             R"({"class_name": "Sequential", "config": {"name": "large", "layers": [
      {"class_name": "InputLayer", "config": {"batch_shape": [null, 1, 1, 1], "name": "x"}},
      {"class_name": "ZeroPadding2D", "config": {"name": "pad", "padding": [[0, 25599], [0, 25599]]}},
      {"class_name": "GlobalAveragePooling2D", "config": {"name": "pool"}},
      {"class_name": "Dense", "config": {"name": "dense", "units": 1}}]}})");
  const std::string command = "plan large.json --batch 4 --memory 1TiB";
  Ran text = run(command), json = run(command + " --json");
  EXPECT_EQ(text.exit, 0) << text.err;
  const Json::Array largest = json.json().at("largest").as_array();
  EXPECT_EQ(largest.at(0).at("bytes").as_integer(), 10485760000);
  EXPECT_GE(json.json().at("planned_peak_bytes").as_integer(), 10485760000);
  EXPECT_NE(text.out.find("10,485,7"), std::string::npos) << text.out;
  for (const std::string& shown : {text.out, json.out})
    for (size_t at = shown.find('-'); at != std::string::npos; at = shown.find('-', at + 1))
      EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(shown[at + 1]))) << shown;
}

TEST_F(Commands, PlanCutsABatchThatDoesNotFit) {
  std::string command = "plan zoo:article-cnn --batch 50000 --replicas 8 --memory 4GiB";
  Ran ran = run(command);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find(" microbatches of "), std::string::npos) << ran.out;
  Json report = run(command + " --json").json();
  EXPECT_TRUE(report.at("fits").as_bool());
  EXPECT_LE(report.at("planned_peak_bytes").as_integer(), int64_t{4} << 30);
  EXPECT_GT(report.at("slices").as_integer(), 8);
  EXPECT_FALSE(report.at("recomputed").as_array().empty());
}

TEST_F(Commands, PlanSaysTheLargestBatch) {
  Json report = run("plan zoo:lenet --max-batch --memory 100MiB --json").json();
  std::string largest = std::to_string(report.at("max_batch").as_integer());
  auto plan_of = [&](const std::string& batch) {
    return run("plan zoo:lenet --memory 100MiB --json --batch " + batch).json();
  };
  EXPECT_EQ(plan_of(largest).at("microbatch").as_integer(), 0);
  std::string larger = std::to_string(report.at("max_batch").as_integer() * 101 / 100);
  EXPECT_GT(plan_of(larger).at("microbatch").as_integer(), 0);
  EXPECT_EQ(run("plan zoo:lenet --max-batch --memory 100KiB").exit, 4);
}

TEST_F(Commands, PlanAndInspectLookAtShapesAsTrainingDoes) {
  write_npz(file("small.npz"), std::vector<NamedTensor>{{"x", Tensor(DType::uint8, {4, 24, 24, 1})},
                                                        {"y", Tensor(DType::uint8, {4})}});
  for (const char* command : {"plan zoo:lenet ", "inspect zoo:lenet --kernels "}) {
    std::string padded = command + std::string("--transform \"ZeroPadding2D(padding=2)\" ");
    Ran refused = run(padded);
    EXPECT_EQ(refused.exit, 3) << refused.err;
    EXPECT_NE(refused.err.find("(32, 32, 1) after the transforms"), std::string::npos)
        << refused.err;
    EXPECT_EQ(run(padded + "--data small.npz").exit, 0);
    EXPECT_EQ(run(command + std::string("--data small.npz")).exit, 3);
  }
}

TEST_F(Commands, PredictNeedsNoLabels) {
  std::string header{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28};
  write_text(file("t10k-images-idx3-ubyte"), header + std::string(2 * 28 * 28, 'x'));
  Ran ran = run("predict zoo:lenet --data .:test --out p.csv");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(std::ranges::count(text("p.csv"), '\n'), 2);
  EXPECT_NE(run("evaluate zoo:lenet --data .:test").err.find("no targets"), std::string::npos);
}

TEST_F(Commands, PredictThroughALinkKeepsTheLink) {
  std::filesystem::create_directory(file("far"));
  std::filesystem::create_symlink("far/p.csv", file("p.csv"));
  EXPECT_EQ(
      run("predict " + regression_model() + " --data " + regression_data() + " --out p.csv").exit,
      0);
  EXPECT_TRUE(std::filesystem::is_symlink(file("p.csv")));
  EXPECT_EQ(std::ranges::count(text("far/p.csv"), '\n'), 10);
}

TEST_F(Commands, InspectShowsTheModel) {
  EXPECT_NE(run("inspect zoo:lenet --policy mixed_bfloat16").out.find("850  mixed_bfloat16\n"),
            std::string::npos);  // the last layer: 84 · 10 + 10 parameters
  EXPECT_EQ(run("inspect zoo:lenet").out.find("float32"), std::string::npos);
  Ran ran = run("inspect zoo:article-cnn");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.out.find("Total params: 3,491,082"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Trainable params: 3,488,330"), std::string::npos) << ran.out;
  EXPECT_NE(
      run("inspect " + regression_model()).out.find("  optimizer         Adam(learning_rate=0."),
      std::string::npos);
  Json report = run("inspect " + regression_model() + " --json --kernels").json();
  EXPECT_EQ(report.at("class_name").as_text(), "Sequential");
  EXPECT_EQ(report.at("parameters").as_integer(), 3 * 5 + 5 + 5 * 2 + 2);
  const Json& last = report.at("layers").as_array().back();
  EXPECT_EQ(last.at("output_shape"), Json(Json::Array{nullptr, 2}));
  EXPECT_EQ(last.at("parameters").as_integer(), 5 * 2 + 2);
  EXPECT_TRUE(report.at("compile").is_object());
  EXPECT_FALSE(report.at("kernels").as_array().empty());
  Ran stablehlo = run("inspect zoo:lenet --stablehlo --batch 6 --replicas 2");
  EXPECT_NO_THROW(verify_stablehlo(stablehlo.out)) << stablehlo.out;
  EXPECT_EQ(run("inspect zoo:lenet --stablehlo --batch 6 --replicas 2 --json")
                .json()
                .at("stablehlo")
                .as_text(),
            stablehlo.out);
  EXPECT_EQ(run("inspect zoo:lenet --graph --kernels").exit, 0);
  EXPECT_NE(run("inspect zoo:lenet --measure --batch 2").out.find("GB/s"), std::string::npos);
}

TEST_F(Commands, InspectShowsThePassesAndWhatTheyMake) {
  Ran ran = run("inspect zoo:lenet --passes --dump expand --dump fuse");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  for (const char* part : {"pass ", "simplify ", "memory_plan ",
                           "\n# after the pass expand\n%0 = ", "\n# after the pass fuse\n%0 = "})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part;
  Json report = run("inspect zoo:lenet --passes --dump fuse --json").json();
  EXPECT_GT(report.at("passes").as_array().size(), 4u);
  EXPECT_GT(report.at("passes").as_array()[0].at("nodes").as_integer(), 10);
  EXPECT_EQ(report.at("dumps").as_array()[0].at("pass").as_text(), "fuse");
  Ran wrong = run("inspect zoo:lenet --dump fusee");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("did you mean 'fuse'?"), std::string::npos) << wrong.err;
}

TEST_F(Commands, MatmulPrecisionDecidesWhoMayTakeAConvolution) {
  std::string command = "inspect zoo:article-cnn --kernels --batch 128";
  const std::string exact = run(command).out;
  EXPECT_NE(exact.find("  winograd 2x4"), std::string::npos);  // its sums of 864 products
  EXPECT_NE(exact.find("  winograd 4x4"), std::string::npos);  // and of 3,456
  for (const char* precision : {"high", "default"}) {
    Ran ran = run(command + " --matmul-precision " + precision);
    EXPECT_EQ(ran.out.find("  winograd 2x4"), std::string::npos) << precision;
  }
  EXPECT_EQ(run(command + " --matmul-precision low").exit, 2);
}

TEST_F(Commands, ZooListsAndWritesModels) {
  EXPECT_NE(run("zoo").out.find("article-mlp"), std::string::npos);
  EXPECT_EQ(run("zoo lenet --out lenet.keras").exit, 0);
  EXPECT_NE(run("inspect lenet.keras").out.find("Total params: 61,706"), std::string::npos);
  EXPECT_EQ(run("zoo lenet --out lenet.json").exit, 0);
  EXPECT_NE(run("inspect lenet.json").out.find("Total params: 61,706"), std::string::npos);
  EXPECT_EQ(run("zoo --json").json().as_array()[0].at("name").as_text(), "article-mlp");
  for (const char* name : {"lenet.h5", "lenet.bin", "lenet"}) {
    EXPECT_EQ(run(std::string("zoo lenet --out ") + name).exit, 2) << name;
    EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
  }
  Ran wrong = run("zoo lenett --out x.keras");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("lenet"), std::string::npos) << wrong.err;
}

TEST_F(Commands, DoctorMeasuresTheMachine) {
  Json report = run("doctor --json").json();
  EXPECT_EQ(keys(report),
            (std::vector<std::string>{"version", "cores", "instruction_sets", "memory_bytes",
                                      "matrix_product_gflops", "memory_gb_per_second"}));
  EXPECT_GT(report.at("matrix_product_gflops").as_number(), 0);
}

TEST_F(Commands, ExplainKnowsEveryCode) {
  std::string all = run("explain").out;
  for (const ErrorCode& code : error_codes) {
    EXPECT_NE(all.find(code.name), std::string::npos) << code.name;
    EXPECT_EQ(run("explain " + std::string(code.name)).exit, 0) << code.name;
  }
  EXPECT_EQ(run("explain H999").exit, 2);
  EXPECT_EQ(run("explain --json").json().as_array().size(), std::size(error_codes));
  EXPECT_EQ(run("explain H204 --json").json().at("exit").as_integer(), 3);
}

TEST_F(Commands, HelpAndWrongUse) {
  EXPECT_EQ(run("--help").exit, 0);
  EXPECT_EQ(run("").exit, 2);
  EXPECT_EQ(run("--version").out.find("hornbeam "), 0u);
  EXPECT_EQ(run("train --help").exit, 0);
  Ran wrong = run("trian x");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_NE(wrong.err.find("did you mean 'train'?"), std::string::npos);
}

TEST_F(Commands, RefuseWhatIsNoModelOrNoData) {
  std::ofstream(file("broken.keras")) << "PK no archive";
  struct {
    const char* arguments;
    int exit;
    const char* code;
  } const refusals[] = {
      {"inspect no_such.keras", 3, "H101"},
      {"inspect broken.keras", 3, "H103"},
      {"inspect .", 3, "H101"},
      {"inspect zoo:no-such", 2, "H302"},
      {"evaluate zoo:lenet --data no_such", 3, "H201"},
      {"evaluate zoo:lenet", 2, "H301"},
      {"evaluate zoo:lenet --data made:cifar10", 3, "H205"},
  };
  for (const auto& refusal : refusals) {
    Ran ran = run(refusal.arguments);
    EXPECT_EQ(ran.exit, refusal.exit) << refusal.arguments << ran.err;
    EXPECT_NE(ran.err.find(std::string("error[") + refusal.code + "]"), std::string::npos)
        << refusal.arguments << "\n"
        << ran.err;
  }
}

}  // namespace
}  // namespace hornbeam
