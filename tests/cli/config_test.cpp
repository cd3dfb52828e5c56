// --config, with the files that people write and those that runs leave.
#include <algorithm>
#include <fstream>
#include <map>

#include "cli/option_table.h"
#include "cli/program.h"

namespace hornbeam {
namespace {

class Config : public ProgramTest {
 protected:
  void train_once() const {
    Ran ran = run("train " + regression_model() + " --data " + regression_data() +
                  " --epochs 2 --batch 4 --seed 18446744073709551615 --threads 1 --metrics mae "
                  "--optimizer \"SGD(learning_rate=0.25)\" --transform \"Rescaling(scale=0.5)\" "
                  "--out one");
    ASSERT_EQ(ran.exit, 0) << ran.err;
  }
};

TEST_F(Config, OfARunHoldsEveryOption) {
  train_once();
  Json config = parse_json(text("one/config.json"), "config");
  std::map<std::string_view, bool> taken;  // some flags have a row for sweep and one for the others
  for (const OptionRow& row : option_rows()) taken[row.name()] |= takes(row, "train");
  for (auto [name, by_train] : taken) EXPECT_EQ(config.find(name) != nullptr, by_train) << name;
  EXPECT_EQ(config.at("transform"), Json(Json::Array{"Rescaling(scale=0.5)"}));
  EXPECT_EQ(config.at("optimizer").as_text(), "SGD(learning_rate=0.25)");
  EXPECT_TRUE(config.at("loss").is_null());
  EXPECT_EQ(config.at("compile").at("loss").as_text(), "mean_squared_error");
}

TEST_F(Config, OfARunServesTheSameRunAgain) {
  train_once();
  Ran again = run("train " + regression_model() + " --config one/config.json --out two");
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(text("one/history.csv"), text("two/history.csv"));
}

TEST_F(Config, OfARunServesOtherCommands) {
  train_once();
  Ran evaluated = run("evaluate one/last.keras --config one/config.json");
  EXPECT_EQ(evaluated.exit, 0) << evaluated.err;
  EXPECT_EQ(evaluated.out.find("loss: "), 0u) << evaluated.out;
  EXPECT_NE(evaluated.err.find("note: one/config.json: evaluate has no use for "),
            std::string::npos)
      << evaluated.err;
  Ran planned = run("plan one/last.keras --config one/config.json");
  EXPECT_EQ(planned.exit, 0) << planned.err;
  EXPECT_EQ(planned.out, text("one/plan.txt"));
  Ran predicted = run("predict one/last.keras --config one/config.json --out p.csv");
  EXPECT_EQ(predicted.exit, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(text("p.csv"), '\n'), 10);
}

TEST_F(Config, ThatIsWrongNamesFileAndPlace) {
  std::string command =
      "train " + regression_model() + " --data " + regression_data() + " --out one --config ";
  struct {
    const char *name, *content, *place;
  } const cases[] = {
      {"a.toml", "batch = 4\n\noptimizer = \"foo\"\n", "--> a.toml:3"},
      {"b.toml", "without-pass = [\"foo\"]\n", "--> b.toml:1"},
      {"c.toml", "transform = [\"Reshape(target_shape=[7])\"]\n", "--> c.toml:1"},
      {"d.toml", "batch = [1, 2]\n", "--> d.toml:1"},
      {"e.json", "{\"epochs\": 0}", "--> e.json, epochs"},
      {"f.json", "{\"epochs\": ", "--> f.json, character"},
      {"g.json", "{\"epoch\": 3}", "did you mean --epochs?"},
      {"h.json", "[1]", "--> --config"},
  };
  for (const auto& each : cases) {
    std::ofstream(file(each.name)) << each.content;
    Ran ran = run(command + each.name);
    EXPECT_NE(ran.exit, 0) << each.name;
    EXPECT_NE(ran.err.find(each.place), std::string::npos) << each.name << "\n" << ran.err;
  }
  Ran missing = run(command + "no_such.toml");
  EXPECT_EQ(missing.exit, 2) << missing.err;
  EXPECT_NE(missing.err.find("--> no_such.toml"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace hornbeam
