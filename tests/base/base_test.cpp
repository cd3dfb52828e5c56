#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/tensor.h"
#include "base/text.h"
#include "base/threads.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(BFloat16(1.0f)), 1.0f);
  EXPECT_EQ(BFloat16(1.00390625f).bits, 0x3f80);  // 1 + 2^-8 is half way: to even
  EXPECT_EQ(BFloat16(1.01171875f).bits, 0x3f82);  // 1 + 3 * 2^-8 is half way: to even
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isinf(static_cast<float>(BFloat16(std::numeric_limits<float>::max()))));
}

TEST(Shape, CountsIn64Bits) {  // case B51
  EXPECT_EQ((Shape{4, 256, 256, 100, 100}.elements()), 2621440000);
  EXPECT_EQ((Shape{0, 5}.elements()), 0);
  EXPECT_THROW((Shape{int64_t{1} << 40, int64_t{1} << 40}.elements()), Error);
  EXPECT_THROW((Shape{-1}.elements()), Error);
}

TEST(Tensor, ConvertsNumbers) {
  Tensor floats = Tensor::of<float>({3}, {0.0f, -1.75f, 200.0f});
  EXPECT_EQ(floats.converted(DType::int32).values<int32_t>()[1], -1);
  EXPECT_EQ(floats.converted(DType::boolean).values<bool>()[0], false);
  EXPECT_EQ(floats.converted(DType::boolean).values<bool>()[2], true);
  EXPECT_THROW(floats.values<double>(), Error);
}

TEST(Error, ShowsCodePlaceNotesAndHelp) {
  Error error("H204", {.message = "label 3 is outside",
                       .place = "a.csv:1",
                       .notes = {"a note"},
                       .help = "do this"});
  EXPECT_STREQ(error.what(),
               "error[H204]: label 3 is outside\n  --> a.csv:1\n   = a note\nhelp: do this");
  EXPECT_EQ(error.code().exit, Exit::input);
}

TEST(Error, CodesAreUnique) {
  std::set<std::string_view> names;
  for (const ErrorCode& code : error_codes)
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
}

TEST(ThreadPool, RunsEveryPieceOnce) {
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<int> done(101);
      pool.run(101, [&](int64_t piece, int) { ++done[piece]; });
      EXPECT_EQ(done, std::vector<int>(101, 1));
    }
  }
}

// Threads that come late to a short job must not touch the next one.
TEST(ThreadPool, ShortJobsFollowEachOther) {
  ThreadPool pool(7);
  int64_t expected = 0;
  std::atomic<int64_t> sum = 0;
  for (int64_t job = 0; job < 20000; ++job) {
    const int64_t pieces = 2 + job % 5;
    pool.run(pieces, [&, job](int64_t piece, int) { sum += job * piece; });
    expected += job * pieces * (pieces - 1) / 2;
    ASSERT_EQ(sum, expected);
  }
}

TEST(ThreadPool, RethrowsTheFailureOfAPiece) {
  ThreadPool pool(2);
  auto fail = [](int64_t piece, int) { check(piece != 5, "five"); };
  EXPECT_THROW(pool.run(10, fail), Error);
  pool.run(5, fail);
}

TEST(Files, AFailedWriteLeavesTheOldFile) {
  TemporaryFolder folder;
  write_text(folder / "a", "old");
  EXPECT_THROW(write_aside(folder / "a", [](auto&) { check(false, "broken"); }), Error);
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_THROW(write_text(folder / "none/a", "x"), Error);
  EXPECT_THROW(read_text(folder / "missing"), Error);
}

TEST(Text, FindsTheNearestName) {
  std::vector<std::string_view> names{"Adam", "SGD", "RMSprop"};
  EXPECT_EQ(nearest("adamm", names), "Adam");
  EXPECT_EQ(nearest("rmsprob", names), "RMSprop");
  EXPECT_EQ(nearest("Zzzzzzzz", names), "");
}

TEST(Text, WritesControlCharactersOut) {
  EXPECT_EQ(printable("dense_1 ü ▏"), "dense_1 ü ▏");
  EXPECT_EQ(printable("a\x1b[31m\nb\x7f\xc2\x9b"), "a\\x1b[31m\\nb\\x7f\\x9b");
  EXPECT_EQ(printable("a\n\tb\xc2", "\n"), "a\n\\x09b\xc2");
}

TEST(Text, WritesNumbersForPeople) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(3125, "step"), "3,125 steps");
  EXPECT_EQ(thousands(3491082), "3,491,082");
  EXPECT_EQ(thousands(-999), "-999");
  EXPECT_EQ(thousands(-1000), "-1,000");
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(bytes_text(3ull << 29), "1.50 GiB");
}

}  // namespace
}  // namespace hornbeam
