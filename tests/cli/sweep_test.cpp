// hornbeam sweep: the table, what fails in it, and going on.
#include <algorithm>
#include <csignal>

#include "base/files.h"
#include "cli/article.h"
#include "cli/program.h"
#include "cli/sweep_table.h"

namespace hornbeam {
namespace {

class Sweep : public ProgramTest {
 protected:
  std::string command(const std::string& more) const {
    return "sweep " + regression_model() + " --data " + regression_data() + " " + more;
  }
  static Json::Array rows(const Ran& ran) { return ran.json().at("rows").as_array(); }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(Sweep, MeasuresEveryCell) {
  Ran ran = run(command("--batch 2,4 --epochs 3 --replicas 2 --out s --json --threads 1"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  Json::Array all = rows(ran);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(keys(all[0]),
            (std::vector<std::string>{"model", "device", "batch", "samples", "slices", "threads",
                                      "seconds_per_epoch", "us_per_sample", "first_epoch_seconds",
                                      "compile_seconds", "planned_peak_bytes",
                                      "measured_peak_bytes", "fits", "error"}));
  EXPECT_EQ(all[1].at("batch").as_integer(), 4);
  EXPECT_EQ(all[1].at("samples").as_integer(), 10);
  EXPECT_EQ(all[1].at("slices").as_integer(), 2);
  EXPECT_EQ(all[1].at("fits"), Json(true));
  EXPECT_NEAR(all[1].at("us_per_sample").as_number(),
              all[1].at("seconds_per_epoch").as_number() / 10 * 1e6, 1e-6);
  EXPECT_LE(all[1].at("seconds_per_epoch").as_number(),
            all[1].at("first_epoch_seconds").as_number());
  EXPECT_FALSE(std::filesystem::exists(file("s/cell")));
}

TEST_F(Sweep, WritesTableCsvAndPicture) {
  Ran ran = run(command("--batch 4,2 --epochs 1 --samples 8 --out s --csv t.csv --plot t.svg"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 3) << ran.out;
  EXPECT_EQ(text("t.csv").find("model,device,batch,samples,"), 0u);
  EXPECT_EQ(std::ranges::count(text("t.csv"), '\n'), 3);
  EXPECT_TRUE(says(text("t.csv"), ",cpu,4,8,1,")) << text("t.csv");
  EXPECT_TRUE(says(text("t.svg"), "resumed_fresh.keras on cpu</text>")) << text("t.svg");
  EXPECT_TRUE(says(ran.err, "[2/2] ")) << ran.err;
}

TEST_F(Sweep, ClipsBatchesToTheDataAndMeasuresThemOnce) {
  Ran ran = run(command("--batch 4,100,1000 --epochs 1 --out s --json"));
  Json::Array all = rows(ran);
  ASSERT_EQ(all.size(), 2u) << ran.err;
  EXPECT_EQ(all[1].at("batch").as_integer(), 10);
  EXPECT_TRUE(says(ran.err, "batches larger than the 10 samples are clipped")) << ran.err;
}

TEST_F(Sweep, GoesOnBehindACellThatFails) {
  Ran ran = run("sweep missing.keras " + regression_model() + " --data " + regression_data() +
                " --device nothing,cpu --batch 4 --epochs 1 --out s --json");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  Json::Array all = rows(ran);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(says(all[0].at("error").as_text(), "error[H101]"));
  EXPECT_TRUE(says(all[2].at("error").as_text(), "error[H302]: there is no backend 'nothing'"));
  EXPECT_TRUE(all[3].at("error").is_null());
  EXPECT_TRUE(all[2].at("fits").is_null());
}

TEST_F(Sweep, SaysWhatDoesNotFit) {
  Ran ran = run(command("--batch 4 --epochs 1 --memory 1KiB --out s"));
  EXPECT_EQ(ran.exit, 4) << ran.err;  // no cell ran
  EXPECT_TRUE(says(ran.out, "batch 4: error[H401]: ")) << ran.out;
  EXPECT_EQ(rows(run(command("--batch 4 --epochs 1 --memory 1KiB --out s --json")))[0].at("fits"),
            Json(false));
}

TEST_F(Sweep, TakesFinishedCellsOfTheSameSettingsOnly) {
  const std::string again = "--epochs 1 --out s --json --batch ";
  Json first = rows(run(command(again + "2")))[0];
  Ran both = run(command(again + "2,4"));
  EXPECT_EQ(rows(both)[0], first);
  EXPECT_TRUE(says(both.err, "(measured before)")) << both.err;
  EXPECT_FALSE(says(run(command(again + "2 --seed 1")).err, "(measured before)"));
  EXPECT_FALSE(says(run(command(again + "2 --overwrite")).err, "(measured before)"));
}

TEST_F(Sweep, IgnoresHalfALineOfAnEarlierOne) {
  run(command("--epochs 1 --out s --batch 2,4"));
  std::string lines = text("s/cells.jsonl");
  write_text(file("s/cells.jsonl"), lines.substr(0, lines.size() - 20));
  Ran again = run(command("--epochs 1 --out s --batch 2,4"));
  EXPECT_TRUE(says(again.err, "[1/2] ") && says(again.err, "(measured before)\n[2/2]"))
      << again.err;
  EXPECT_FALSE(again.err.ends_with("(measured before)\n")) << again.err;
  EXPECT_EQ(std::ranges::count(text("s/cells.jsonl"), '\n'), 2);
}

TEST_F(Sweep, RefusesAFolderOfSomethingElse) {
  write_text(file("other"), "not a folder");
  EXPECT_EQ(run("train " + regression_model() + " --data " + regression_data() + " --out one").exit,
            0);
  Ran ran = run(command("--out one"));
  EXPECT_EQ(ran.exit, 2);
  EXPECT_TRUE(says(ran.err, "error[H303]: 'one' exists and holds no sweep")) << ran.err;
}

TEST_F(Sweep, StoppedSaysHowToGoOn) {
  Ran ran = interrupt(command("--batch 2,1 --epochs 1000000 --out s --no-shuffle --memory '1 GiB'"),
                      "s/cell/last.keras", SIGINT);
  EXPECT_EQ(ran.exit, 130) << ran.err;
  EXPECT_TRUE(says(ran.err, "to go on: hornbeam sweep ")) << ran.err;
  EXPECT_TRUE(says(ran.err, " --batch=2,1 --epochs=1000000 --no-shuffle '--memory=1 GiB' --out=s"))
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(file("s/cell")));
  EXPECT_EQ(run(command("--batch 2 --epochs 1 --out s")).exit, 0);
}

TEST_F(Sweep, RefusesWrongLists) {
  for (const char* wrong : {"--batch 0", "--batch 4,,2", "--batch 4,x", "--device cpu,",
                            "--reference book", "--epochs 0"})
    EXPECT_EQ(run(command(wrong)).exit, 2) << wrong;
  Ran none = run("sweep --data " + regression_data());
  EXPECT_TRUE(says(none.err, "sweep needs a model")) << none.err;
  Ran data = run("sweep " + regression_model() + " --data missing.npz");
  EXPECT_EQ(data.exit, 3) << data.err;  // once, and not in every cell
}

TEST_F(Sweep, TrainsTheArticlesModelsAsTheArticleDid) {
  Ran ran =
      run("sweep zoo:article-mlp --data made:cifar10 --samples 8 --batch 8 --epochs 1 --out s "
          "--reference article --json");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(says(ran.err,
                   "Adam(learning_rate=1e-3), categorical_crossentropy, "
                   "Rescaling(scale=1/255)"))
      << ran.err;
  EXPECT_TRUE(says(text("s/cells.jsonl"), "--transform=Rescaling(scale=1/255)"));
  EXPECT_TRUE(rows(ran)[0].at("article_tpu_us_per_sample").is_null());  // no batch of 8 there
}

// The article's table: at 1,024 samples the CNN takes 197 µs on the TPU and 534 on the GPU, at
// 4,096 the GPU has no memory left.
TEST(SweepTable, ShowsTheArticleBeside) {
  std::vector<Json> rows;
  for (int batch : {1024, 4096}) {
    Json row = Json::object({{"model", "zoo:article-cnn"},
                             {"device", "cpu"},
                             {"batch", batch},
                             {"slices", nullptr},
                             {"seconds_per_epoch", nullptr},
                             {"us_per_sample", nullptr},
                             {"first_epoch_seconds", nullptr},
                             {"compile_seconds", nullptr},
                             {"planned_peak_bytes", nullptr},
                             {"measured_peak_bytes", nullptr},
                             {"error", "a, \"b\""}});
    add_article(row);
    rows.push_back(row);
  }
  EXPECT_EQ(rows[0].at("article_tpu_us_per_sample").as_number(), 197);
  EXPECT_EQ(rows[0].at("article_gpu_us_per_sample").as_number(), 534);
  EXPECT_TRUE(rows[1].at("article_gpu_us_per_sample").is_null());
  EXPECT_NE(sweep_text(rows).find("OOM"), std::string::npos);
  EXPECT_NE(sweep_csv(rows).find(",\"a, \"\"b\"\"\",10.0,197.0,27.0,534.0\n"), std::string::npos)
      << sweep_csv(rows);
}

// 50,000 samples make up the seconds that the article rounds to whole ones (and the first epoch's
// time is not in them).
TEST(Article, AgreesWithItself) {
  for (const ArticleRow& row : article_rows())
    for (const ArticleFigure& figure : {row.tpu, row.gpu})
      EXPECT_NEAR(figure.us_per_sample * 50000 * 1e-6, figure.seconds_per_epoch, 1.0)
          << row.model << " " << row.batch;
}

}  // namespace
}  // namespace hornbeam
