#include "data/batches.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <span>

#include "base/rng.h"

namespace hornbeam {
namespace {

// Keeps the stream apart from other uses of the same seed: "shuffle" in ASCII.
constexpr uint64_t shuffle_stream = 0x73687566666c65;

// Copying so much takes about as long as waking a thread.
constexpr size_t small_batch_bytes = size_t{1} << 14;

std::vector<Batch> new_staging(const Dataset& data, const BatchOptions& options) {
  steps_per_epoch(data, options);
  std::vector<Batch> staging;
  for (int64_t i = 0; i < options.staging; ++i)
    staging.push_back(new_batch(data, options.batch_size));
  return staging;
}

Tensor new_rows(const Tensor& tensor, int64_t count) {
  Shape shape = tensor.shape();
  shape[0] = count;
  return Tensor(tensor.dtype(), std::move(shape));
}

// Copies the chosen rows one after another; zeros behind them.
void gather(const Tensor& from, std::span<const int64_t> chosen, Tensor& into) {
  size_t row_bytes = from.bytes() / static_cast<size_t>(from.shape()[0]);
  std::byte* target = into.data();
  for (int64_t row : chosen) {
    std::memcpy(target, from.data() + static_cast<size_t>(row) * row_bytes, row_bytes);
    target += row_bytes;
  }
  std::memset(target, 0, static_cast<size_t>(into.data() + into.bytes() - target));
}

}  // namespace

int64_t steps_per_epoch(const Dataset& data, const BatchOptions& options) {
  if (options.batch_size <= 0)
    throw Error("H302", {.message = fmt::format("the batch size is {}, but must be above 0",
                                                options.batch_size)});
  check_dataset(data);
  return (data.samples() - 1) / options.batch_size + 1;
}

Batch new_batch(const Dataset& data, int64_t batch_size) {
  Batch batch;
  for (const NamedTensor& input : data.inputs)
    batch.inputs.push_back(new_rows(input.tensor, batch_size));
  for (const NamedTensor& target : data.targets)
    batch.targets.push_back(new_rows(target.tensor, batch_size));
  if (data.sample_weight) batch.sample_weight = new_rows(*data.sample_weight, batch_size);
  return batch;
}

size_t bytes_of(const Batch& batch) {
  size_t bytes = batch.sample_weight ? batch.sample_weight->bytes() : 0;
  for (const Tensor& input : batch.inputs) bytes += input.bytes();
  for (const Tensor& target : batch.targets) bytes += target.bytes();
  return bytes;
}

void shuffle(std::vector<int64_t>& order, uint64_t seed, int64_t epoch) {
  Random random(fold_in(fold_in(seed, shuffle_stream), static_cast<uint64_t>(epoch)));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
}

Batches::Batches(const Dataset& data, const BatchOptions& options)
    : Batches(data, options, new_staging(data, options)) {}

Batches::Batches(const Dataset& data, const BatchOptions& options, std::vector<Batch> staging)
    : data_(data),
      options_(options),
      steps_(hornbeam::steps_per_epoch(data, options)),
      order_(static_cast<size_t>(data.samples())),
      given_(steps_) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (bytes_of(staging.at(0)) <= small_batch_bytes)
    small_ = std::move(staging[0]);
  else
    prefetch_.emplace(
        std::move(staging), steps_,
        [this](int64_t epoch, int64_t step, Batch& batch) { fill(epoch, step, batch); });
}

void Batches::start_epoch(int64_t epoch) {
  if (prefetch_) return prefetch_->start_epoch(epoch);
  epoch_ = epoch;
  given_ = 0;
}

const Batch* Batches::next() { return prefetch_ ? prefetch_->next() : gathered_now(); }

const Batch* Batches::gathered_now() {
  if (given_ == steps_) return nullptr;
  fill(epoch_, given_++, *small_);
  return &*small_;
}

void Batches::fill(int64_t epoch, int64_t step, Batch& batch) {
  if (step == 0 && options_.shuffle) shuffle(order_, options_.seed, epoch);
  int64_t begin = step * options_.batch_size;
  batch.valid = std::min(options_.batch_size, data_.samples() - begin);
  std::span chosen = std::span(std::as_const(order_))
                         .subspan(static_cast<size_t>(begin), static_cast<size_t>(batch.valid));
  for (size_t i = 0; i < data_.inputs.size(); ++i)
    gather(data_.inputs[i].tensor, chosen, batch.inputs[i]);
  for (size_t i = 0; i < data_.targets.size(); ++i)
    gather(data_.targets[i].tensor, chosen, batch.targets[i]);
  if (data_.sample_weight) gather(*data_.sample_weight, chosen, *batch.sample_weight);
}

}  // namespace hornbeam
