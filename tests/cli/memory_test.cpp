// The memory of the whole process, from its start to its end, against the plan it announces.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "cli/program.h"
#include "formats/npz.h"
#include "process_memory.h"

namespace hornbeam {
namespace {

// A training with validation, saved after each of two epochs.
struct Training {
  std::string name, model, options;
  int64_t samples;  // of each of both
  Shape sample;
};

class MemoryOfAProcess : public ProgramTest {
 protected:
  struct Peaks {
    double planned, measured;
  };

  Peaks peaks(const std::string& model, const std::string& options) const {
    Ran ran = run("train " + model + options +
                  " --data data.npz --validation data.npz --epochs 2 --json --threads 2");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return {ran.json().find("planned_peak_bytes")->as_number(),
            static_cast<double>(ran.peak_bytes)};
  }

  // What a process takes that loads the same data and trains next to nothing: the most of three,
  // which differ by up to 0.3 MiB, as every process does from itself.
  double start_up(const Shape& sample) const {
    write_text(file("start.json"),
               R"({"class_name": "Sequential", "config": {"name": "start", "layers": [
                {"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [null, )" +
                   std::to_string(sample[0]) + ", " + std::to_string(sample[1]) + ", " +
                   std::to_string(sample[2]) + R"(]}},
                {"class_name": "GlobalAveragePooling2D", "config": {"name": "mean"}},
                {"class_name": "Dense",
                 "config": {"name": "out", "units": 10, "activation": "softmax"}}]}})");
    double most = 0;
    for (int i = 0; i < 3; ++i)
      most = std::max(most, peaks("start.json", " --batch 1 --steps-per-epoch 3").measured);
    return most;
  }

  void write_data(const Training& training) const {
    Shape pictures{training.samples, training.sample[0], training.sample[1], training.sample[2]};
    write_npz(file("data.npz"),
              std::vector<NamedTensor>{{"x", Tensor(DType::uint8, pictures)},
                                       {"y", Tensor(DType::uint8, {training.samples, 1})}});
  }

  void expect_as_planned(const Training& training) const {
    const Peaks whole = peaks(training.model, training.options);
    const double measured = whole.measured - start_up(training.sample);
    EXPECT_LE(measured, whole.planned);
    EXPECT_LE(whole.planned, 1.05 * measured);
  }
};

class ProcessMemory : public MemoryOfAProcess, public testing::WithParamInterface<Training> {};

TEST_P(ProcessMemory, IsPlannedNeverTooLowAndAtMostFivePercentTooHigh) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  write_data(GetParam());
  expect_as_planned(GetParam());
}

// The file has weights and slots, which are most of what the step of a small batch takes.
TEST_F(MemoryOfAProcess, GoingOnFromAFileIsNoMore) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  const Training going_on{"going_on", "first/last.keras", " --batch 32", 128, {32, 32, 3}};
  write_data(going_on);
  ASSERT_EQ(run("train zoo:article-mlp --data data.npz --epochs 1 --out first").exit, 0);
  const Peaks whole = peaks(going_on.model, going_on.options);
  EXPECT_LE(whole.measured - start_up(going_on.sample), 1.05 * whole.planned);
}

const Shape cifar{32, 32, 3}, mnist{28, 28, 1};

INSTANTIATE_TEST_SUITE_P(
    Models, ProcessMemory,
    testing::Values(Training{"article_mlp_32", "zoo:article-mlp", " --batch 32", 128, cifar},
                    Training{"article_mlp_256", "zoo:article-mlp", " --batch 256", 512, cifar},
                    Training{"article_cnn_16", "zoo:article-cnn", " --batch 16", 48, cifar},
                    Training{"article_cnn_64", "zoo:article-cnn", " --batch 64", 128, cifar},
                    Training{"article_cnn_128", "zoo:article-cnn", " --batch 128", 128, cifar},
                    Training{"article_cnn_64_bfloat16", "zoo:article-cnn",
                             " --batch 64 --policy mixed_bfloat16", 128, cifar},
                    Training{"article_cnn_96_cut", "zoo:article-cnn", " --batch 96 --memory 110MiB",
                             96, cifar},
                    Training{"article_cnn_128_cut", "zoo:article-cnn",
                             " --batch 128 --memory 120MiB", 128, cifar},
                    Training{"article_cnn_64_replicas", "zoo:article-cnn",
                             " --batch 64 --replicas 8", 128, cifar},
                    Training{"lenet_1024", "zoo:lenet", " --batch 1024", 2048, mnist},
                    Training{"lenet_2048", "zoo:lenet", " --batch 2048", 4096, mnist}),
    [](const auto& training) { return training.param.name; });

// A batch that would take 95 MiB.
class LimitedMemory : public ProgramTest {
 protected:
  LimitedMemory() {
    write_npz(file("data.npz"),
              std::vector<NamedTensor>{{"x", Tensor(DType::uint8, {2048, 28, 28, 1})},
                                       {"y", Tensor(DType::uint8, {2048, 1})}});
  }
  static constexpr const char* training =
      "train zoo:lenet --data data.npz --validation data.npz --batch 2048 --epochs 1 --threads 2 "
      "--out run --overwrite";
};

TEST_F(LimitedMemory, OfAShellIsObeyed) {
  if (sanitized) GTEST_SKIP() << "a sanitizer maps more than the limit";
  Ran whole = run_under("ulimit -v 400000", training);
  EXPECT_EQ(whole.exit, 0) << whole.err;
  EXPECT_EQ(whole.err.find("microbatches"), std::string::npos) << whole.err;
  for (const char* limit : {"ulimit -v 140000", "ulimit -v 120000"}) {
    Ran cut = run_under(limit, training);
    EXPECT_EQ(cut.exit, 0) << cut.err;
    EXPECT_NE(cut.err.find("microbatches"), std::string::npos) << limit << ": " << cut.err;
  }
  Ran refused = run_under("ulimit -v 80000", training);
  EXPECT_EQ(refused.exit, 4) << refused.err;
  EXPECT_NE(refused.err.find("H401"), std::string::npos) << refused.err;
}

// A control group with a ceiling, as containers have them (version 1 or 2), where one may be made.
class ControlGroup {
 public:
  explicit ControlGroup(int64_t bytes) {
    for (const auto& [place, file] : {std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                                      std::pair{"/sys/fs/cgroup", "memory.max"}}) {
      folder_ = std::filesystem::path(place) / ("hornbeam-test-" + std::to_string(::getpid()));
      if (::mkdir(folder_.c_str(), 0755) != 0) continue;
      if (std::filesystem::exists(folder_ / file)) {
        std::ofstream limit(folder_ / file);
        limit << bytes << std::flush;
        usable_ = limit.good();
        if (usable_) return;
      }
      std::filesystem::remove(folder_);
    }
  }
  ~ControlGroup() {
    if (usable_) ::rmdir(folder_.c_str());
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool usable() const { return usable_; }
  // For the shell that is to enter it.
  std::string enter() const { return "echo $$ > " + (folder_ / "cgroup.procs").string(); }

 private:
  std::filesystem::path folder_;
  bool usable_ = false;
};

TEST_F(LimitedMemory, OfAControlGroupIsObeyed) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  ControlGroup group(int64_t{80} << 20);
  if (!group.usable()) GTEST_SKIP() << "no control group with a memory limit may be made here";
  Ran cut = run_under(group.enter(), training);
  EXPECT_EQ(cut.exit, 0) << cut.err;
  EXPECT_NE(cut.err.find("microbatches"), std::string::npos) << cut.err;
}

}  // namespace
}  // namespace hornbeam
