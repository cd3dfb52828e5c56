// The memory of the whole process, from its start to its end, against the plan it announces.
#include "base/files.h"
#include "cli/program.h"
#include "formats/npz.h"
#include "process_memory.h"

namespace hornbeam {
namespace {

class ProcessMemory : public ProgramTest {
 protected:
  ProcessMemory() {
    write_npz(file("pictures.npz"),
              std::vector<NamedTensor>{{"x", Tensor(DType::uint8, {128, 32, 32, 3})},
                                       {"y", Tensor(DType::uint8, {128, 1})}});
    write_text(file("tiny.json"), R"({"class_name": "Sequential", "config": {"name": "tiny",
        "layers": [{"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [null, 32, 32, 3]}},
                   {"class_name": "Flatten", "config": {"name": "flat"}},
                   {"class_name": "Dense", "config": {"name": "out", "units": 10, "activation": "softmax"}}]}})");
  }

  struct Measured {
    double planned, peak;
    double beside_the_plan() const { return peak - planned; }
  };

  // A training with validation, saved after each of two epochs.
  Measured training(const std::string& arguments) const {
    Ran ran = run("train " + arguments +
                  " --data pictures.npz --validation pictures.npz --epochs 2 --json --threads 2");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return {ran.json().find("planned_peak_bytes")->as_number(),
            static_cast<double>(ran.peak_bytes)};
  }

  void expect_as_planned(const std::string& arguments) const {
    const double start_up = training("tiny.json").beside_the_plan();
    Measured measured = training(arguments);
    EXPECT_LT(measured.beside_the_plan(), start_up + 0.05 * measured.planned)
        << arguments << ": planned " << measured.planned << ", start-up " << start_up;
  }
};

TEST_F(ProcessMemory, IsThePlanAndTheStartOfTheProgram) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  expect_as_planned("zoo:article-mlp --batch 32");
  expect_as_planned("zoo:article-cnn --batch 64");
  expect_as_planned("zoo:article-cnn --batch 128 --memory 120MiB");
}

// The file has weights and slots, which are most of what the step of a small batch takes.
TEST_F(ProcessMemory, OfGoingOnFromAFileIsNoMore) {
  if (sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  ASSERT_EQ(run("train zoo:article-mlp --data pictures.npz --epochs 1 --out first").exit, 0);
  expect_as_planned("first/last.keras --batch 32");
}

}  // namespace
}  // namespace hornbeam
