// Samples in host memory: what readers give and batches are cut from.
//
// Numbers keep the dtype they are stored in (uint8 images stay uint8); nothing is rescaled. The
// first axis of every tensor counts the samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/named_tensor.h"

namespace hornbeam {

struct Dataset {
  // (samples, …). A name is that of a model's input or output; when empty, the position counts.
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> targets;     // may be empty: there is nothing to compare with
  std::optional<Tensor> sample_weight;  // float32 (samples)
  std::vector<std::string> class_names;
  std::string name;  // for messages: "cifar10:train"

  int64_t samples() const;  // of the first input; 0 without inputs
};

// Throws H205 on a tensor without a sample axis, H207 (naming both) on tensors of different lengths
// and H203 when there are no samples.
void check_dataset(const Dataset& data);

// Samples [begin, end).
Dataset rows(const Dataset& data, int64_t begin, int64_t end);

// The first `count` samples, or all when there are fewer. Throws H302 unless count > 0.
Dataset limit(Dataset data, int64_t count);

// As Keras does it: the last part is for validation, cut before any shuffling at
// floor(samples * (1 - fraction)). Throws H302 unless 0 < fraction < 1, H203 when a side is empty.
struct Split {
  Dataset training;
  Dataset validation;
};
Split validation_split(const Dataset& data, double fraction);

// The weight of each sample's class as its sample weight, as Keras does it: classes that are not
// named weigh 1, targets with several columns stand for their largest column. Throws H304 with
// several targets or when there are sample weights already, H205 when a sample has several labels.
Dataset with_class_weight(Dataset data, const std::map<int64_t, double>& class_weight);

// "input 'x' has the value nan in sample 3", of the first number that is NaN or infinite; empty
// when all are finite.
std::string first_not_finite(const Dataset& data);

// Adds `offset` to every target. Whole numbers become int32.
Dataset with_label_offset(Dataset data, int64_t offset);

}  // namespace hornbeam
