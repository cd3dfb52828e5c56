#include "train/reporter.h"

#include <gtest/gtest.h>

#include <sstream>

namespace hornbeam {
namespace {

// The texts of Keras' own progress bar (utils/progbar.py).
TEST(Reporter, WritesNumbersAsKerasDoes) {
  EXPECT_EQ(duration_text(12.9), "12s");
  EXPECT_EQ(duration_text(65), "1:05");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(step_time_text(0.008), "8ms");
  EXPECT_EQ(step_time_text(0.000245), "245us");
  EXPECT_EQ(step_time_text(2), "2s");
  EXPECT_EQ(logs_text({{"accuracy", 0.3}, {"loss", 1.04316}}),
            " - accuracy: 0.3000 - loss: 1.0432");
  EXPECT_EQ(logs_text({{"acc", 0.0}}), " - acc: 0.0000e+00");
}

TEST(ProgressBar, DrawsKerasBar) {
  std::ostringstream out;
  ProgressBar bar(out, true);
  bar.train_begin(1);
  bar.epoch_begin(0, 3);
  bar.epoch_end({.epoch = 0, .seconds = 0.024, .steps = 3, .logs = {{"loss", 1.0432}}});
  std::string full;
  for (int i = 0; i < 20; ++i) full += "━";
  EXPECT_EQ(out.str(), "\r\x1b[1m3/3\x1b[0m \x1b[32m" + full +
                           "\x1b[0m\x1b[37m\x1b[0m \x1b[1m0s\x1b[0m 8ms/step - loss: 1.0432\n");
}

TEST(PlainLines, HaveNoControlCharacters) {  // case B55
  std::ostringstream out;
  PlainLines lines(out);
  lines.train_begin(2);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    lines.epoch_begin(epoch, 100);
    for (int64_t step = 1; step <= 100; ++step) lines.step_end(step, {{"loss", 1.0}});
    lines.epoch_end({.epoch = epoch, .seconds = 0.5, .steps = 100, .logs = {{"loss", 1.0}}});
  }
  EXPECT_EQ(out.str(),
            "epoch 1/2: 100 steps - 0s - 5ms/step - loss: 1.0000\n"
            "epoch 2/2: 100 steps - 0s - 5ms/step - loss: 1.0000\n");
}

TEST(History, WritesCsv) {
  History history{.epochs = {{.epoch = 0, .seconds = 1.5, .samples = 3, .logs = {{"loss", 0.25}}},
                             {.epoch = 1, .seconds = 1, .samples = 3, .logs = {{"loss", 0.125}}}}};
  EXPECT_EQ(history_csv(history), "epoch,loss\n0,0.25\n1,0.125\n");
}

}  // namespace
}  // namespace hornbeam
