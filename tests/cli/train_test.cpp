// hornbeam train, as a process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

#include "base/files.h"
#include "cli/program.h"

namespace hornbeam {
namespace {

class Train : public ProgramTest {
 protected:
  // 3 numbers to 2, with these names, as they stand in JSON.
  std::string model_named(const std::string& model, const std::string& layer) const {
    write_text(file("named.json"), R"({"class_name": "Sequential", "config": {"name": ")" + model +
                                       R"(", "layers": [
               {"class_name": "InputLayer", "config": {"batch_shape": [null, 3]}},
               {"class_name": "Dense", "config": {"units": 2, "name": ")" +
                                       layer + R"("}}]}})");
    return "named.json";
  }
};

TEST_F(Train, WritesARunFolder) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data() +
                " --epochs 3 --batch 4 --out one");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  Json config = parse_json(text("one/config.json"), "config");
  EXPECT_EQ(config.at("epochs").as_integer(), 3);
  EXPECT_EQ(config.at("compile").at("optimizer").at("class_name").as_text(), "Adam");
  std::string csv = text("one/history.csv");
  EXPECT_EQ(csv.substr(0, 11), "epoch,loss\n");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
  EXPECT_EQ(std::ranges::count(text("one/history.jsonl"), '\n'), 3);
  EXPECT_NE(text("one/plan.txt").find("together"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(file("one/last.keras")));
  for (const auto& entry : std::filesystem::directory_iterator(file("one")))
    EXPECT_FALSE(entry.path().filename().string().find(".writing") != std::string::npos);
}

TEST_F(Train, DrawsItsHistory) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data() +
                " --validation-split 0.2 --metrics mae --epochs 3 --batch 4 --out one");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  std::string svg = text("one/history.svg");
  for (const char* part : {">loss</text>", ">val_loss</text>", ">val_mae</text>", ">epoch</text>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
  // Epochs count from 1: the axis runs from 1 at the left to 3 at the right end.
  EXPECT_NE(svg.find("text-anchor=\"middle\">3</text>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("text-anchor=\"middle\">0</text>"), std::string::npos) << svg;
}

TEST_F(Train, NumbersRunsAndOverwritesNone) {
  std::string command = "train " + regression_model() + " --data " + regression_data();
  EXPECT_EQ(run(command).exit, 0);
  EXPECT_EQ(run(command).exit, 0);
  std::vector<std::string> runs;
  for (const auto& entry : std::filesystem::directory_iterator(file("runs")))
    runs.push_back(entry.path().filename().string().substr(0, 4));
  std::ranges::sort(runs);
  EXPECT_EQ(runs, (std::vector<std::string>{"001-", "002-"}));
  EXPECT_EQ(run(command + " --out one").exit, 0);
  Ran again = run(command + " --out one");
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.err.find("error[H303]"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
  EXPECT_EQ(run(command + " --out one --overwrite").exit, 0);
}

TEST_F(Train, OverwritingLeavesOnlyTheModelOfTheEarlierRun) {
  std::string command = "train " + regression_model() + " --data " + regression_data() +
                        " --out one --optimizer \"SGD(learning_rate=";
  EXPECT_EQ(run(command + "1e-3)\"").exit, 0);
  EXPECT_EQ(run(command + "1e30)\" --epochs 9 --overwrite --progress foo").exit, 2);
  EXPECT_TRUE(std::filesystem::exists(file("one/last.keras")));
  std::string own =
      "train one/last.keras --data numbers.npz --out one --overwrite --optimizer "
      "\"SGD(learning_rate=";
  EXPECT_EQ(run(own + "1e-3)\"").exit, 0);
  Ran failed = run(command + "1e38)\" --epochs 1 --batch 1 --overwrite");
  EXPECT_EQ(failed.exit, 5) << failed.err;
  EXPECT_TRUE(std::filesystem::exists(file("one/last.keras")));  // until there is a new one
  EXPECT_FALSE(std::filesystem::exists(file("one/history.csv")));
  EXPECT_TRUE(std::filesystem::exists(file("one/config.json")));
}

// The shell counts blocks of 512 bytes: enough for the settings, too few for the weights.
TEST_F(Train, KeepsTheOldModelWhenTheNewOneCannotBeWritten) {
  std::string command =
      "train " + regression_model() + " --data " + regression_data() + " --out one --overwrite";
  EXPECT_EQ(run(command).exit, 0);
  std::string before = text("one/last.keras");
  Ran failed = run_under("ulimit -f 6", command);
  EXPECT_EQ(failed.exit, 3) << failed.err;
  EXPECT_NE(failed.err.find("error[H120]: cannot write 'one/last.keras': File too large"),
            std::string::npos)
      << failed.err;
  EXPECT_EQ(text("one/last.keras"), before);
}

TEST_F(Train, RunsThatStartAtOnceHaveFoldersOfTheirOwn) {
  std::string command = "train " + regression_model() + " --data " + regression_data();
  EXPECT_EQ(run_at_once(command + " --threads 1", 6), std::vector<int>(6, 0));
  std::set<std::string> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(file("runs"))) {
    numbers.insert(entry.path().filename().string().substr(0, 3));
    EXPECT_TRUE(std::filesystem::exists(entry.path() / "last.keras")) << entry.path();
  }
  EXPECT_EQ(numbers, (std::set<std::string>{"001", "002", "003", "004", "005", "006"}));
}

TEST_F(Train, AnyNameOfAModelStaysInItsFolderAndOffTheTerminal) {
  std::string name = "a\\u001b[31m\\n\\u009b." + std::string(300, 'x');
  Ran ran = run("train " + model_named(name, "dense") + " --data " + regression_data());
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("a\\x1b[31m\\n\\x9b.xxx"), std::string::npos) << ran.err;
  std::filesystem::path runs = file("runs");
  std::vector<std::filesystem::path> made(std::filesystem::directory_iterator(runs), {});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_TRUE(made[0].filename().string().starts_with("001-a\\x1b[31m"));
  Ran inspected = run("inspect " + model_named("m", "b\\u001b[31m"));
  EXPECT_EQ(inspected.out.find('\x1b'), std::string::npos) << inspected.out;
  EXPECT_NE(inspected.out.find("b\\x1b[31m (Dense)"), std::string::npos) << inspected.out;
}

TEST_F(Train, NamesThatKerasRefusesAreRefused) {
  for (auto& [model, layer] : {std::pair{"../../evil", "dense"}, std::pair{"m", "block/dense"}}) {
    Ran ran = run("train " + model_named(model, layer) + " --data " + regression_data());
    EXPECT_EQ(ran.exit, 3) << ran.err;
    EXPECT_NE(ran.err.find("holds a '/'"), std::string::npos) << ran.err;
  }
}

TEST_F(Train, RemovesWhatAKilledRunLeft) {
  std::string command = "train " + regression_model() + " --data " + regression_data();
  EXPECT_EQ(run(command + " --out one").exit, 0);
  pid_t gone = ::fork();  // its number belongs to nobody once it is waited for
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  auto left = [&](const std::string& name, pid_t process) {
    std::ofstream(file("one/" + name + std::to_string(process))) << "part";
    return file("one/" + name + std::to_string(process));
  };
  auto weights = left("last.keras.weights-", gone), archive = left("last.keras.writing-", gone);
  auto running = left("last.keras.weights-", ::getpid()), other = left("last.keras.weights-x", 1);
  EXPECT_EQ(run(command + " --out one --overwrite").exit, 0);
  EXPECT_FALSE(std::filesystem::exists(weights));
  EXPECT_FALSE(std::filesystem::exists(archive));
  EXPECT_TRUE(std::filesystem::exists(running));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(Train, KeepsTheSeedAsItWasGiven) {
  EXPECT_EQ(run("train " + regression_model() + " --data " + regression_data() +
                " --seed 18446744073709551615 --out one")
                .exit,
            0);
  EXPECT_NE(text("one/config.json").find("\"seed\": 18446744073709551615"), std::string::npos);
}

TEST_F(Train, GivesOneJsonDocument) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data() + " --validation " +
                regression_data() + " --epochs 2 --batch 4 --threads 1 --json --out one");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  Json report = ran.json();
  EXPECT_EQ(keys(report), (std::vector<std::string>{
                              "run", "model", "device", "replicas", "threads", "policy", "batch",
                              "slices", "parameters", "planned_peak_bytes", "measured_peak_bytes",
                              "compile_seconds", "first_step_seconds", "epochs"}));
  EXPECT_EQ(report.at("parameters").as_integer(), 3 * 5 + 5 + 5 * 2 + 2);
  EXPECT_EQ(report.at("slices").as_integer(), 1);
  const Json::Array& epochs = report.at("epochs").as_array();
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(keys(epochs[1]),
            (std::vector<std::string>{"epoch", "seconds", "samples", "samples_per_second",
                                      "us_per_sample", "logs"}));
  EXPECT_EQ(epochs[1].at("samples").as_integer(), 10);
  EXPECT_EQ(keys(epochs[1].at("logs")), (std::vector<std::string>{"loss", "val_loss"}));
}

TEST_F(Train, SaysThePolicyAndKeepsIt) {
  std::string data = " --data " + regression_data() + " --epochs 1 --json --out ";
  Json report = run("train " + regression_model() + data + "one --policy mixed_bfloat16").json();
  EXPECT_EQ(report.at("policy"), Json("mixed_bfloat16"));
  EXPECT_NE(text("one/config.json").find("\"policy\": \"mixed_bfloat16\""), std::string::npos);
  // The saved layers have it as their own.
  EXPECT_EQ(run("train one/last.keras" + data + "two").json().at("policy"), Json("mixed_bfloat16"));
}

TEST_F(Train, ProfilesLayersAndKernels) {
  std::string command =
      "train " + regression_model() + " --data " + regression_data(48) + " --batch 4 --out ";
  Ran ran = run(command + "one --profile");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  for (const char* part : {"An average of 12 steps", "waiting for data", "backward ms", "GB/s"})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  Json profile = run(command + "two --profile --json").json().at("profile");
  EXPECT_EQ(profile.at("steps").as_integer(), 12);
  EXPECT_EQ(keys(profile.at("parts")),
            (std::vector<std::string>{"kernels", "between_kernels", "waiting_for_data", "host"}));
  EXPECT_FALSE(profile.at("layers").as_array().empty());
  EXPECT_FALSE(profile.at("kinds").as_array().empty());
}

TEST_F(Train, TracesTheFirstSteps) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data(48) +
                " --batch 4 --out one --trace trace.json --profile --json");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Json::Array events = parse_json(text("trace.json"), "trace").at("traceEvents").as_array();
  const size_t kernels = ran.json().at("profile").at("kernels").as_array().size();
  ASSERT_EQ(events.size(), 10 * kernels);
  double end = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].at("ph").as_text(), "X");
    EXPECT_EQ(events[i].at("args").at("step").as_integer(), static_cast<int64_t>(i / kernels));
    EXPECT_GE(events[i].at("ts").as_number(), end - 1e-3);
    end = events[i].at("ts").as_number() + events[i].at("dur").as_number();
  }
}

bool has_control_characters(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' && c != '\n'; });
}

TEST_F(Train, ShowsABarOnATerminalAndPlainLinesElsewhere) {
  std::string command =
      "train " + regression_model() + " --data " + regression_data() + " --epochs 2 --out ";
  Ran piped = run(command + "one");
  EXPECT_FALSE(has_control_characters(piped.err)) << piped.err;
  EXPECT_NE(piped.err.find("epoch 2/2: 1 step - "), std::string::npos) << piped.err;
  Ran shown = run_on_a_terminal(command + "two");
  EXPECT_NE(shown.out.find("Epoch 2/2"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("\x1b[32m━"), std::string::npos) << shown.out;
  EXPECT_EQ(run(command + "three --quiet").err, "");
  Ran plain = run_on_a_terminal(command + "four --progress plain");
  EXPECT_EQ(plain.out.find('\x1b'), std::string::npos) << plain.out;
}

TEST_F(Train, IsTheSameWithEverySeedAgain) {
  std::string command = "train " + classes_model() + " --data " + classes_data({0, 1, 2, 3, 4}) +
                        " --batch 2 --epochs 2 --quiet --out ";
  EXPECT_EQ(run(command + "one --seed 3 --threads 1").exit, 0);
  EXPECT_EQ(run(command + "two --seed 3 --threads 3").exit, 0);
  EXPECT_EQ(run(command + "three --seed 4").exit, 0);
  EXPECT_EQ(text("one/history.csv"), text("two/history.csv"));
  EXPECT_NE(text("one/history.csv"), text("three/history.csv"));
}

TEST_F(Train, GoesOnWhereASavedModelStopped) {
  std::string more = " --data " + regression_data() + " --batch 4 --no-shuffle --quiet --epochs ";
  EXPECT_EQ(run("train " + regression_model() + more + "4 --out straight").exit, 0);
  EXPECT_EQ(run("train " + regression_model() + more + "2 --out half").exit, 0);
  EXPECT_EQ(run("train half/last.keras" + more + "2 --out rest").exit, 0);
  auto last_loss = [&](const std::string& run) {
    std::string csv = text(run + "/history.csv");
    return csv.substr(csv.rfind(',') + 1);
  };
  EXPECT_EQ(last_loss("rest"), last_loss("straight"));
}

TEST_F(Train, FinishesTheStepAndSavesWhenInterrupted) {
  Ran ran = interrupt("train " + regression_model() + " --data " + regression_data() +
                          " --epochs 100000000 --out one",
                      "one/last.keras", SIGINT);
  EXPECT_EQ(ran.exit, 130) << ran.err;
  EXPECT_NE(ran.err.find("saved to one/last.keras"), std::string::npos) << ran.err;
  EXPECT_EQ(run("evaluate one/last.keras --data " + regression_data()).exit, 0);
}

TEST_F(Train, EndsWithFiveWhenTheLossIsNotFinite) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data() +
                " --optimizer \"SGD(learning_rate=1e30)\" --epochs 9 --out one");
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("error[H501]: the loss is "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("learning rate"), std::string::npos) << ran.err;
}

TEST_F(Train, EndsWithFourWhenItDoesNotFit) {
  Ran ran = run("train " + regression_model() + " --data " + regression_data() +
                " --memory 100B --out one");
  EXPECT_EQ(ran.exit, 4);
  EXPECT_NE(ran.err.find("error[H401]: the step needs "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("100 B"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(file("one")));
}

TEST_F(Train, SaysWhenLabelsStartAtOne) {
  std::string command =
      "train " + classes_model() + " --data " + classes_data({1, 2, 3, 10}) + " --out one";
  Ran ran = run(command);
  EXPECT_EQ(ran.exit, 3);
  EXPECT_NE(ran.err.find("error[H204]: label 10 is outside the 10 classes"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("help: labels seem to start at 1; use --label-offset -1"),
            std::string::npos);
  EXPECT_EQ(run(command + " --label-offset -1").exit, 0);
}

TEST_F(Train, WritesNothingWhereItMayNot) {
  Ran ran =
      run("train " + regression_model() + " --data " + regression_data() + " --out /proc/no/such");
  EXPECT_EQ(ran.exit, 3);
  EXPECT_NE(ran.err.find("error[H120]"), std::string::npos) << ran.err;
}

TEST_F(Train, RefusesInstructionSetsTheMachineLacks) {
  Ran ran =
      run("train " + regression_model() + " --data " + regression_data() + " --isa neon --out one");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_NE(ran.err.find("instruction set \"neon\" is not available"), std::string::npos);
  EXPECT_EQ(
      run("train " + regression_model() + " --data " + regression_data() + " --isa sse4 --out one")
          .exit,
      0);
}

}  // namespace
}  // namespace hornbeam
