#include "cli/options.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/report.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

std::string help_of(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code().exit), 2);
    return error.parts().message + " / " + error.parts().help;
  }
  return "nothing was thrown";
}

TEST(Options, OfACommandLine) {
  Options options = parse_options({"train", "m.keras", "--data", "cifar10", "--epochs=3",
                                   "--transform", "A()", "--transform", "B()", "--no-shuffle"});
  EXPECT_EQ(options.command, "train");
  EXPECT_EQ(options.model, "m.keras");
  EXPECT_EQ(options.data, "cifar10");
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.transforms, (std::vector<std::string>{"A()", "B()"}));
  EXPECT_TRUE(options.no_shuffle);
  EXPECT_EQ(options.batch, 32);
}

TEST(Options, ThatAreUnknownNameTheNearest) {
  EXPECT_EQ(help_of({"trian", "m.keras"}), "there is no command 'trian' / did you mean 'train'?");
  EXPECT_EQ(help_of({"train", "m.keras", "--epoch", "3"}),
            "train has no option --epoch / did you mean --epochs?");
  EXPECT_EQ(help_of({"evaluate", "m.keras", "--epochs", "3"}).substr(0, 34),
            "evaluate has no option --epochs / ");
  EXPECT_EQ(help_of({"train"}),
            "train needs a model / give a .keras, .h5 or .json file, or zoo:NAME (hornbeam zoo "
            "lists them)");
}

TEST(Options, WithWrongValuesAreRefused) {
  for (const char* value : {"three", "1.5", "", "9999999999999999999999"})
    EXPECT_NE(help_of({"train", "m.keras", "--epochs", value}), "nothing was thrown") << value;
  EXPECT_NE(help_of({"train", "m.keras", "--data"}), "nothing was thrown");
  const std::map<std::string, std::string> counts{{"--epochs", "1 or more"},
                                                  {"--steps-per-epoch", "1 or more"},
                                                  {"--batch", "1 to 2147479551"},
                                                  {"--replicas", "1 to 4096"},
                                                  {"--threads", "1 to 1024"}};
  for (const auto& [flag, range] : counts)
    for (std::string value : {"0", "-1"})
      EXPECT_EQ(help_of({"train", "m.keras", flag, value}), value + ": expected " + range + " / ");
  EXPECT_EQ(help_of({"train", "m.keras", "--threads", "100000"}), "100000: expected 1 to 1024 / ");
  EXPECT_EQ(parse_options({"train", "m.keras", "--threads", "1024"}).threads, 1024);
}

class ConfigFile : public testing::Test {
 protected:
  std::string config_file(const std::string& text) const {
    std::filesystem::path path = folder_ / "config.toml";
    write_text(path, text);
    return path;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ConfigFile, GivesWayToFlags) {
  std::string path = config_file(
      "epochs = 7\nbatch = 64\nno-shuffle = true\noptimizer = \"SGD(learning_rate=0.1)\"\n"
      "metrics = [\"mae\", \"mse\"]\n");
  Options options = parse_options({"train", "m.keras", "--config", path, "--epochs", "2"});
  EXPECT_EQ(options.epochs, 2);
  EXPECT_EQ(options.batch, 64);
  EXPECT_TRUE(options.no_shuffle);
  EXPECT_EQ(options.optimizer, "SGD(learning_rate=0.1)");
  EXPECT_EQ(options.metrics, (std::vector<std::string>{"mae", "mse"}));
}

TEST_F(ConfigFile, ThatIsBrokenIsRefusedWithTheLine) {
  for (const char* text :
       {"epochs = \n", "[table]\nepochs = 3\n", "epochs = 2026-12-01\n", "epochs = \"two\"\n",
        "epochs = 0\n", "epochs = [1, 2]\n", "epoch = 3\n"}) {
    std::string path = config_file(text);
    try {
      parse_options({"train", "m.keras", "--config", path});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code().name, "H302");
      EXPECT_TRUE(error.parts().place.starts_with(path + ":")) << error.parts().place;
    }
  }
  EXPECT_EQ(help_of({"train", "m.keras", "--config", config_file("epoch = 3\n")}),
            "train has no option --epoch / did you mean --epochs?");
}

TEST(Help, OpensWithThreeExamples) {
  for (const Command& command : commands()) {
    std::string text = help_text(command.name);
    std::string first = "\n\n  hornbeam " + std::string(command.name);
    EXPECT_NE(text.find(first), std::string::npos) << text;
    EXPECT_TRUE(parse_options({std::string(command.name), "--help"}).help);
    EXPECT_NE(help_text("").find(command.name), std::string::npos);
  }
}

// Options and commands of the program, and nothing else.
TEST(Readme, IsTrue) {
  std::string text = read_text(HORNBEAM_TESTS_FOLDER "/../README.md");
  std::set<std::string, std::less<>> known{"--help", "--config"};
  for (const OptionRow& row : option_rows()) known.emplace(row.flag);
  const std::regex flag("--[a-z][a-z-]*"), command("hornbeam ([a-z]+) ");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), flag);
       found != std::sregex_iterator(); ++found)
    EXPECT_TRUE(known.contains(found->str())) << found->str();
  for (auto found = std::sregex_iterator(text.begin(), text.end(), command);
       found != std::sregex_iterator(); ++found)
    EXPECT_NO_THROW(find_command(found->str(1))) << found->str(1);
  for (const Command& each : commands())
    EXPECT_NE(text.find("`hornbeam " + std::string(each.name)), std::string::npos) << each.name;
}

TEST(Bytes, AreReadWithTheirUnit) {
  EXPECT_EQ(parse_bytes("4GiB", "--memory"), uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("1.5 MiB", "--memory"), 1536u * 1024);
  EXPECT_EQ(parse_bytes("500MB", "--memory"), 500000000u);
  EXPECT_EQ(parse_bytes("123", "--memory"), 123u);
  for (const char* text : {"", "GiB", "-1GiB", "0", "4GB!", "1e30GiB", "nan"})
    EXPECT_THROW(parse_bytes(text, "--memory"), Error) << text;
}

}  // namespace
}  // namespace hornbeam
