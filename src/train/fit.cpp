// Steps over data: the loops of fit, evaluate and predict.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "train/compiled_step.h"

namespace hornbeam {
namespace {

Tensor rows_like(const Tensor& part, int64_t samples) {
  Shape shape = part.shape();
  shape[0] = samples;
  return Tensor(part.dtype(), std::move(shape));
}

void require_finite(double loss, int64_t epoch, int64_t step, const Dataset& data) {
  if (std::isfinite(loss)) return;
  std::string in_data = first_not_finite(data);
  throw Error("H501",
              {.message = fmt::format("the loss is {} in epoch {}, step {}", loss, epoch + 1, step),
               .place = data.name,
               .notes = {in_data.empty() ? "the data has no NaN and no infinity" : in_data},
               .help = in_data.empty() ? "try a smaller learning rate, gradient clipping "
                                         "(clipnorm=1) or scaled inputs"
                                       : "leave such samples out, or replace the numbers"});
}

// NaN has a sign, which means nothing and would be shown.
double without_sign_of_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

}  // namespace

// Where an epoch begins in the data and how many steps it has. With fewer steps than the data has
// batches, epochs share a pass over it, and the last one of a pass has what is left, as in Keras.
struct EpochSteps {
  EpochSteps(int64_t epoch, int64_t batches, int64_t most) {
    const int64_t epochs_of_pass = (batches - 1) / most + 1;
    pass = epoch / epochs_of_pass;
    first = epoch % epochs_of_pass * most;
    count = std::min(most, batches - first);
  }
  int64_t pass, first, count;
};

// Records the times of an executable as long as it lives.
struct Recording {
  Recording(Executable& each, StepProfile* profile) : executable(each) {
    if (profile == nullptr) return;
    profile->begin(executable);
    executable.record_times(&profile->times());
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { executable.record_times(nullptr); }

  Executable& executable;
};

struct Trainer::EpochRun {
  Compiled& step;
  const Dataset& data;
  const BatchOptions batch_options;
  const FitOptions& options;
  Reporter& reporter;
  Clock::time_point start;  // of the fit
  std::optional<Batches> batches = {};
  Logs logs = {};

  EpochSteps steps_of(int64_t epoch) const {
    const int64_t all = steps_per_epoch(data, batch_options);
    return {epoch, all, options.steps_per_epoch.value_or(all)};
  }
  // To go on in the middle of a pass.
  void skip_to(int64_t epoch) {
    const EpochSteps steps = steps_of(epoch);
    if (steps.first > 0) start_pass(steps.pass);
    for (int64_t skipped = 0; skipped < steps.first; ++skipped) batches->next();
  }
  void start_pass(int64_t pass) {
    if (!batches) batches.emplace(data, batch_options, staging_for(data, step.shape));
    batches->start_epoch(pass);
  }
  // At the end of a pass the batches of a validation can be where those of the training were.
  void make_room_behind(int64_t epoch) {
    if (steps_of(epoch + 1).first == 0) batches.reset();
  }
};

void Trainer::upload_batch(Compiled& step, const Batch& batch) {
  for (size_t i = 0; i < batch.inputs.size(); ++i)
    backend_.upload(batch.inputs[i], *step.input(fmt::format("input/{}", i)));
  for (size_t i = 0; i < batch.targets.size() && step.has_input(fmt::format("target/{}", i)); ++i)
    backend_.upload(batch.targets[i], *step.input(fmt::format("target/{}", i)));
  if (step.shape.sample_weight) backend_.upload(*batch.sample_weight, *step.input("sample_weight"));
  step.valid.values<int32_t>()[0] = static_cast<int32_t>(batch.valid);
  backend_.upload(step.valid, *step.input("valid"));
}

void Trainer::start(Compiled& step, const Batch& batch) {
  upload_batch(step, batch);
  StartedRun& run = step.run_number(step.started++);
  run.samples = static_cast<double>(batch.valid);
  step.executable->run(step.input_buffers, run.outputs);
}

// The results of the first run that is on its way go into the means of the epoch.
void Trainer::finish(Compiled& step) {
  const StartedRun& run = step.run_number(step.finished++);
  auto output = [&](size_t number) {
    backend_.download(*run.outputs[number], step.scalar);
    return without_sign_of_nan(static_cast<double>(step.scalar.values<float>()[0]));
  };
  step.samples += run.samples;
  for (EpochMean& mean : step.means) {
    double value = output(mean.value);
    double count = mean.count_value ? output(*mean.count_value) : run.samples;
    if (mean.name == "loss") step.last_loss = value;
    mean.total += value * count;
    mean.count += count;
  }
}

// The means so far, sorted by name as Keras has them.
void Trainer::fill_logs(const Compiled& step, Logs& logs) {
  logs.resize(step.means.size());
  for (size_t i = 0; i < logs.size(); ++i) {
    const EpochMean& mean = step.means[i];
    logs[i].first = mean.name;
    logs[i].second = mean.count > 0 ? without_sign_of_nan(mean.total / mean.count) : 0;
  }
  std::ranges::sort(logs);
}

std::vector<Batch> Trainer::staging_for(const Dataset& data, const StepShape& shape) {
  std::vector<Batch> staging;  // an initializer list would copy them
  for (int64_t i = 0; i < batches_ahead; ++i) staging.push_back(new_batch(data, shape.batch));
  return staging;
}

BatchOptions Trainer::batch_options(const Dataset& data, bool shuffle) const {
  return {.batch_size = batch_for(data), .shuffle = shuffle, .seed = options_.seed};
}

History Trainer::fit(const Dataset& training, const Dataset* validation,
                     const FitOptions& options) {
  const Clock::time_point began = Clock::now();
  Compiled& step = compiled(Kind::training, training, batch_for(training));
  History history{.compile_seconds = step.compile_seconds};
  allocate(step);
  backend_.upload(Tensor::scalar(static_cast<float>(state_.learning_rate())),
                  *step.input("learning_rate"));
  if (step.has_input("seed"))
    backend_.upload(Tensor::scalar(static_cast<int64_t>(options_.seed)), *step.input("seed"));
  Recording recording(*step.executable, options.profile);
  Reporter quiet;
  EpochRun run{step,
               training,
               batch_options(training, options.shuffle),
               options,
               options.reporter ? *options.reporter : quiet,
               began};
  run.skip_to(options.initial_epoch);
  run.reporter.train_begin(options.epochs);
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs; ++epoch) {
    std::optional<EpochRecord> record = run_epoch(run, epoch, history);
    history.interrupted = !record.has_value();
    if (history.interrupted) break;
    if (validation != nullptr) {
      run.make_room_behind(epoch);
      for (auto& [name, value] : evaluate(*validation))
        record->logs.emplace_back("val_" + name, value);
    }
    history.epochs.push_back(*record);
    run.reporter.epoch_end(*record);
    if (options.epoch_end && !options.epoch_end(history)) break;
  }
  return history;
}

// Nothing when it was interrupted.
std::optional<EpochRecord> Trainer::run_epoch(EpochRun& epoch_run, int64_t epoch,
                                              History& history) {
  const Clock::time_point began = Clock::now();
  Compiled& step = epoch_run.step;
  step.reset();
  const EpochSteps steps = epoch_run.steps_of(epoch);
  if (steps.first == 0) epoch_run.start_pass(steps.pass);
  epoch_run.reporter.epoch_begin(epoch, steps.count);
  StepProfile* profile = epoch_run.options.profile;
  if (profile != nullptr) profile->begin_epoch();
  int64_t finished = 0;
  auto finish_all_but = [&](int64_t left) {
    while (step.on_their_way() > left) finish_training(epoch_run, epoch, ++finished, history);
  };
  for (int64_t number = 1; number <= steps.count; ++number) {
    const Batch* batch = epoch_run.batches->next();
    if (profile != nullptr) profile->batch_ready();
    start(step, *batch);
    finish_all_but(profile != nullptr ? 0 : step.most_ahead());
    if (epoch_run.options.interrupted && epoch_run.options.interrupted()) {
      finish_all_but(0);
      return std::nullopt;
    }
  }
  finish_all_but(0);
  return EpochRecord{.epoch = epoch,
                     .seconds = seconds_since(began),
                     .steps = steps.count,
                     .samples = static_cast<int64_t>(step.samples),
                     .logs = epoch_run.logs};
}

// The results of a step, in the order in which steps were started.
void Trainer::finish_training(EpochRun& epoch_run, int64_t epoch, int64_t number,
                              History& history) {
  Compiled& step = epoch_run.step;
  finish(step);
  if (history.first_step_seconds == 0) history.first_step_seconds = seconds_since(epoch_run.start);
  if (epoch_run.options.step_loss) epoch_run.options.step_loss(step.last_loss);
  require_finite(step.last_loss, epoch, number, epoch_run.data);
  fill_logs(step, epoch_run.logs);
  epoch_run.reporter.step_end(number, epoch_run.logs);
  if (epoch_run.options.profile != nullptr) epoch_run.options.profile->end_step();
}

Logs Trainer::evaluate(const Dataset& data, Reporter* reporter) {
  const Clock::time_point began = Clock::now();
  Compiled& step = compiled(Kind::evaluation, data, batch_for(data));
  allocate(step);
  step.reset();
  Batches batches(data, batch_options(data, false), staging_for(data, step.shape));
  batches.start_epoch(0);
  Reporter quiet;
  Reporter& told = reporter ? *reporter : quiet;
  told.epoch_begin(0, batches.steps_per_epoch());
  Logs logs;
  int64_t finished = 0;
  auto finish_all_but = [&](int64_t left) {
    while (step.on_their_way() > left) {
      finish(step);
      fill_logs(step, logs);
      told.step_end(++finished, logs);
    }
  };
  while (const Batch* batch = batches.next()) {
    start(step, *batch);
    finish_all_but(step.most_ahead());
  }
  finish_all_but(0);
  told.epoch_end({.seconds = seconds_since(began),
                  .steps = batches.steps_per_epoch(),
                  .samples = data.samples(),
                  .logs = logs});
  return logs;
}

std::vector<Tensor> Trainer::predict(const Dataset& data, Reporter* reporter) {
  Clock::time_point start = Clock::now();
  Compiled& step = compiled(Kind::prediction, data, batch_for(data));
  allocate(step);
  Batches batches(data, batch_options(data, false), staging_for(data, step.shape));
  batches.start_epoch(0);
  Reporter quiet;
  Reporter& told = reporter ? *reporter : quiet;
  told.epoch_begin(0, batches.steps_per_epoch());
  std::vector<Tensor> predictions;
  int64_t done = 0;
  for (int64_t number = 1; const Batch* batch = batches.next(); ++number) {
    upload_batch(step, *batch);
    std::vector<Buffer>& outputs = step.runs[0].outputs;
    step.executable->run(step.input_buffers, outputs);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      Tensor part = backend_.download(outputs[i]);
      if (predictions.size() == i) predictions.push_back(rows_like(part, data.samples()));
      size_t row = part.bytes() / static_cast<size_t>(part.shape()[0]);
      std::memcpy(predictions[i].data() + static_cast<size_t>(done) * row, part.data(),
                  static_cast<size_t>(batch->valid) * row);
    }
    done += batch->valid;
    told.step_end(number, {});
  }
  told.epoch_end({.seconds = seconds_since(start),
                  .steps = batches.steps_per_epoch(),
                  .samples = done,
                  .logs = {}});
  return predictions;
}

}  // namespace hornbeam
