// Integer class labels: the check against a model's number of classes, and one-hot rows; the check
// of indices against the rows of a table.
#pragma once

#include <optional>
#include <string>

#include "base/tensor.h"

namespace hornbeam {

// What labels are checked against, and the names for the message.
struct LabelRule {
  int64_t classes;
  std::string place;  // where the labels come from: "train.npz, array \"y\""
  std::string layer;  // whose outputs (or rows) are the classes: "dense_2"; may be empty
  std::optional<int64_t> ignored = {};  // a label that may stand beside them
};

// Throws H204 when a label (of any shape and dtype) is no whole number from 0 to classes - 1; the
// message counts the labels outside and says when they seem to start at 1.
void check_labels(const Tensor& labels, const LabelRule& rule);

// Throws H206, naming sample and layer, when a number of `indices` (samples, …) does not lie in a
// table of that many rows; numbers of floats are cut as the layer cuts them.
void check_indices(const Tensor& indices, const LabelRule& rule);

// (samples) or (samples, 1) → float32 (samples, classes); generally a last axis of 1 is dropped and
// an axis of classes added. Checks the labels first.
Tensor one_hot(const Tensor& labels, const LabelRule& rule);

}  // namespace hornbeam
