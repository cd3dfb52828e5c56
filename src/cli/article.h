// What the article measured that Hornbeam began from: Keras 2.1.6 on TensorFlow 1.11 in Colab,
// 2018, one MLP and one CNN on the 50,000 pictures of CIFAR-10, the best of 10 epochs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options.h"

namespace hornbeam {

// 0 seconds: out of memory.
struct ArticleFigure {
  double seconds_per_epoch = 0, us_per_sample = 0;
};

struct ArticleRow {
  std::string_view model;
  int64_t batch;
  ArticleFigure tpu;  // all eight cores of a TPU v2
  ArticleFigure gpu;  // half of a K80
};

std::span<const ArticleRow> article_rows();
const ArticleRow* find_article_row(std::string_view model, int64_t batch);  // null for none

bool is_of_the_article(std::string_view model);
// Adam(learning_rate=1e-3), categorical cross-entropy and, for pictures of bytes, a scaling to
// 0..1, where the options say nothing.
Options with_article_settings(Options options, bool bytes);

}  // namespace hornbeam
