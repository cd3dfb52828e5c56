#include "cli/article.h"

#include <algorithm>

namespace hornbeam {
namespace {

constexpr ArticleFigure out_of_memory{};

// koshian2 on Qiita, measured 2018-09-28. The microseconds, printed there as us/step, are those of
// a sample: 50,000 of them make up the seconds.
constexpr ArticleRow rows[] = {
    {"zoo:article-mlp", 256, {35, 710}, {7, 131}},
    {"zoo:article-mlp", 1024, {12, 246}, {3, 59}},
    {"zoo:article-mlp", 4096, {6, 118}, {2, 44}},
    {"zoo:article-mlp", 8192, {5, 90}, {2, 41}},
    {"zoo:article-mlp", 16384, {4, 80}, {2, 41}},
    {"zoo:article-mlp", 50000, {3, 64}, {2, 41}},
    {"zoo:article-cnn", 256, {20, 407}, {28, 567}},
    {"zoo:article-cnn", 1024, {10, 197}, {27, 534}},
    {"zoo:article-cnn", 4096, {6, 115}, out_of_memory},
    {"zoo:article-cnn", 8192, {5, 110}, out_of_memory},
    {"zoo:article-cnn", 16384, {5, 94}, out_of_memory},
    {"zoo:article-cnn", 50000, {4, 82}, out_of_memory},
};

}  // namespace

std::span<const ArticleRow> article_rows() { return rows; }

const ArticleRow* find_article_row(std::string_view model, int64_t batch) {
  auto found = std::ranges::find_if(
      rows, [&](const ArticleRow& row) { return row.model == model && row.batch == batch; });
  return found == std::end(rows) ? nullptr : &*found;
}

bool is_of_the_article(std::string_view model) {
  return std::ranges::count(rows, model, &ArticleRow::model) > 0;
}

Options with_article_settings(Options options, bool bytes) {
  if (options.optimizer.empty()) options.optimizer = "Adam(learning_rate=1e-3)";
  if (options.loss.empty()) options.loss = "categorical_crossentropy";
  if (options.transforms.empty() && bytes) options.transforms = {"Rescaling(scale=1/255)"};
  return options;
}

}  // namespace hornbeam
