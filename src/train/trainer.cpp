#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "train/memory_refusal.h"

namespace hornbeam {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Type sample_type(const NamedTensor& data) {
  const Shape& shape = data.tensor.shape();
  return {data.tensor.dtype(), Shape(std::vector<int64_t>(shape.begin() + 1, shape.end()))};
}

Types sample_types(const std::vector<NamedTensor>& all) {
  Types types;
  for (const NamedTensor& each : all) types.push_back(sample_type(each));
  return types;
}

std::string slot_name(const ModelWeight& weight, const std::string& slot) {
  return fmt::format("slot/{}/{}", weight.path, slot);
}

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

constexpr int64_t batches_ahead = 2;  // filled while steps run

// NaN has a sign, which means nothing and would be shown.
double without_sign_of_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// A log of an epoch: the mean of what the steps gave, by their counts.
struct EpochMean {
  std::string name;
  size_t value = 0;                   // the output of the step that has it
  std::optional<size_t> count_value;  // the output that has its count; else the real samples count
  double total = 0, count = 0;
};

std::vector<EpochMean> means_of(const std::vector<Port>& outputs) {
  std::vector<EpochMean> means;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].role != Role::result || outputs[i].name.ends_with(count_suffix)) continue;
    auto count =
        std::ranges::find(outputs, outputs[i].name + std::string(count_suffix), &Port::name);
    EpochMean mean{.name = outputs[i].name, .value = i};
    if (count != outputs.end()) mean.count_value = static_cast<size_t>(count - outputs.begin());
    means.push_back(std::move(mean));
  }
  return means;
}

bool has_parts_of_a_good_size(int64_t samples) {
  for (int64_t size = 128; size <= 256; ++size)
    if (samples % size == 0) return true;
  return false;
}

// A batch with a divisor of a good size, at most 2 % larger: the samples at its end are not real.
StepShape rounded_for_parts(StepShape shape) {
  int64_t slice = shape.batch / shape.replicas, unit = 1;
  if (has_parts_of_a_good_size(slice)) return shape;
  while (unit < 64 && slice >= 100 * unit) unit *= 2;
  shape.batch = (slice + unit - 1) / unit * unit * shape.replicas;
  return shape;
}

bool same_kind(const StepShape& a, const StepShape& b) {
  return a.batch == b.batch && a.inputs == b.inputs && a.targets == b.targets &&
         a.sample_weight == b.sample_weight;
}

}  // namespace

// A compiled step with its buffers, in the order of the graph's ports, and the means of an epoch.
struct Trainer::Compiled {
  StepShape asked, shape;  // what was asked for, and what it was rounded up to
  std::vector<Port> inputs, outputs;
  Types input_types;  // of the whole batch
  std::unique_ptr<Executable> executable;
  std::vector<Buffer> input_buffers, output_buffers;
  std::vector<EpochMean> means;
  double samples = 0;
  double last_loss = 0;
  double compile_seconds = 0;
  Tensor scalar{DType::float32, {}}, valid{DType::int32, {}};

  Buffer& input(std::string_view name) {
    auto found = std::ranges::find(inputs, name, &Port::name);
    check(found != inputs.end(), "an input of the step");
    return input_buffers[static_cast<size_t>(found - inputs.begin())];
  }
  bool has_input(std::string_view name) const {
    return std::ranges::find(inputs, name, &Port::name) != inputs.end();
  }
  void reset() {
    for (EpochMean& mean : means) mean.total = mean.count = 0;
    samples = 0;
  }
};

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
  Batches& batches;
  const FitOptions& options;
  Reporter& reporter;
  Clock::time_point start;  // of the fit

  EpochSteps steps_of(int64_t epoch) const {
    const int64_t all = batches.steps_per_epoch();
    return {epoch, all, options.steps_per_epoch.value_or(all)};
  }
  // To go on in the middle of a pass.
  void skip_to(int64_t epoch) const {
    const EpochSteps steps = steps_of(epoch);
    if (steps.first > 0) batches.start_epoch(steps.pass);
    for (int64_t skipped = 0; skipped < steps.first; ++skipped) batches.next();
  }
};

Trainer::Trainer(Model& model, CompileConfig config, Backend& backend, TrainerOptions options)
    : model_(model),
      config_(std::move(config)),
      backend_(backend),
      options_(std::move(options)),
      source_{model, options_.transforms} {
  if (!config_.loss.is_null()) objectives_ = objectives_of(model, config_);
  if (config_.optimizer != nullptr) optimizer_state_ = fresh_state(*config_.optimizer, model);
}

Trainer::~Trainer() = default;

void Trainer::set_optimizer_state(OptimizerState state) {
  optimizer_state_ = std::move(state);
  state_.clear();
  compiled_.clear();
}

// A batch is never larger than the data.
int64_t Trainer::batch_for(const Dataset& data) const {
  return std::min(options_.batch, std::max<int64_t>(data.samples(), 1));
}

StepShape Trainer::shape_for(const Dataset& like, int64_t batch) const {
  int64_t replicas = options_.replicas;
  int64_t padded = (batch + replicas - 1) / replicas * replicas;
  return {.batch = padded,
          .replicas = options_.replicas,
          .inputs = sample_types(like.inputs),
          .targets = sample_types(like.targets),
          .sample_weight = like.sample_weight.has_value()};
}

void Trainer::require_targets(const Dataset& data) const {
  if (data.targets.size() == objectives_.size()) return;
  throw Error(
      "H205",
      {.message = data.targets.empty()
                      ? "the data has inputs but no targets"
                      : fmt::format("the model has {} outputs with a loss, the data {} targets",
                                    objectives_.size(), data.targets.size()),
       .place = data.name,
       .help = "targets are the array y of an .npz file (or one named after each output of the "
               "model), --targets FILE beside a .npy file, labels beside IDX images"});
}

Graph Trainer::traced(Kind kind, const Dataset& like, const StepShape& shape) {
  if (kind == Kind::prediction) return prediction_step(source_, shape);
  require_targets(like);
  if (kind == Kind::evaluation) return evaluation_step(source_, objectives_, shape);
  check(config_.optimizer != nullptr, "training needs an optimizer");
  return training_step(source_, objectives_, *config_.optimizer, shape);
}

void Trainer::require_memory(const MemoryPlan& plan) const {
  if (plan.peak_bytes <= options_.memory_limit) return;
  MemoryRefusal refusal = memory_refusal(plan, options_.memory_limit, options_.batch);
  throw Error("H401", {.message = std::move(refusal.message), .help = std::move(refusal.help)});
}

void Trainer::compile(Compiled& step, Kind kind, const Dataset& like, const StepShape& shape,
                      int64_t memory_limit) {
  step.shape = shape;
  Graph graph = traced(kind, like, shape);
  step.inputs = graph.inputs();
  step.outputs = graph.outputs();
  step.input_types.clear();
  int64_t batch_bytes = 0;
  for (const Port& port : step.inputs) {
    step.input_types.push_back(graph.type(port.value));
    if (port.role != Role::batch) continue;
    step.input_types.back().shape[0] = shape.batch;
    batch_bytes += step.input_types.back().bytes();
  }
  step.executable = backend_.compile(graph, {.replicas = options_.replicas,
                                             .disabled_passes = options_.disabled_passes,
                                             .matmul_precision = options_.matmul_precision,
                                             .memory_limit = memory_limit,
                                             .staged_bytes = batches_ahead * batch_bytes});
}

Trainer::Compiled& Trainer::compiled(Kind kind, const Dataset& like, int64_t batch) {
  StepShape shape = shape_for(like, batch);
  std::unique_ptr<Compiled>& step = compiled_[kind];
  if (step != nullptr && same_kind(step->asked, shape)) return *step;
  Clock::time_point start = Clock::now();
  step = std::make_unique<Compiled>();
  step->asked = shape;
  compile(*step, kind, like, shape, INT64_MAX);
  if (step->executable->memory_plan().peak_bytes > without_reserve(options_.memory_limit)) {
    step->executable.reset();  // its memory is given back with that of the search for a cut
    compile(*step, kind, like, rounded_for_parts(shape), options_.memory_limit);
  }
  step->means = means_of(step->outputs);
  step->compile_seconds = seconds_since(start);
  return *step;
}

const Executable& Trainer::compile_training(const Dataset& like) {
  return *compiled(Kind::training, like, options_.batch).executable;
}

// The first values of the weights and the optimizer's slots, by the names of their inputs.
std::map<std::string, const Tensor*> Trainer::state_values() const {
  std::map<std::string, const Tensor*> values;
  size_t trained = 0;
  for (const ModelWeight& each : model_.weights()) {
    values["weight/" + each.path] = &each.weight->value;
    if (!each.trained || config_.optimizer == nullptr) continue;
    const std::vector<std::string> names = config_.optimizer->slots();
    for (size_t i = 0; i < names.size(); ++i)
      values[slot_name(each, names[i])] = &optimizer_state_.slots.at(trained).at(i);
    ++trained;
  }
  return values;
}

// Gives the step its buffers: the shared ones of the state, its own for all else.
void Trainer::allocate(Compiled& step) {
  if (!step.input_buffers.empty()) return;
  require_memory(step.executable->memory_plan());
  std::map<std::string, const Tensor*> values = state_values();
  Tensor iteration = Tensor::scalar(optimizer_state_.iteration);
  values["iteration"] = &iteration;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const Port& port = step.inputs[i];
    if (port.role != Role::state) {
      step.input_buffers.push_back(backend_.allocate(step.input_types[i]));
      continue;
    }
    Buffer& buffer = state_[port.name];
    if (buffer == nullptr) buffer = backend_.upload(*values.at(port.name));
    step.input_buffers.push_back(buffer);
  }
  step.output_buffers.resize(step.outputs.size());
  step.executable->prepare();
}

void Trainer::upload_batch(Compiled& step, const Batch& batch) {
  for (size_t i = 0; i < batch.inputs.size(); ++i)
    backend_.upload(batch.inputs[i], *step.input(fmt::format("input/{}", i)));
  for (size_t i = 0; i < batch.targets.size() && step.has_input(fmt::format("target/{}", i)); ++i)
    backend_.upload(batch.targets[i], *step.input(fmt::format("target/{}", i)));
  if (step.shape.sample_weight) backend_.upload(*batch.sample_weight, *step.input("sample_weight"));
  step.valid.values<int32_t>()[0] = static_cast<int32_t>(batch.valid);
  backend_.upload(step.valid, *step.input("valid"));
}

// One step; its results go into the means of the epoch.
void Trainer::run(Compiled& step, const Batch& batch) {
  upload_batch(step, batch);
  step.executable->run(step.input_buffers, step.output_buffers);
  auto output = [&](size_t number) {
    backend_.download(*step.output_buffers[number], step.scalar);
    return without_sign_of_nan(static_cast<double>(step.scalar.values<float>()[0]));
  };
  double samples = static_cast<double>(batch.valid);
  step.samples += samples;
  for (EpochMean& mean : step.means) {
    double value = output(mean.value);
    double count = mean.count_value ? output(*mean.count_value) : samples;
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

Batches Trainer::batches_of(const Dataset& data, const StepShape& shape, bool shuffle) {
  BatchOptions options{.batch_size = batch_for(data), .shuffle = shuffle, .seed = options_.seed};
  return Batches(data, options, staging_for(data, shape));
}

History Trainer::fit(const Dataset& training, const Dataset* validation,
                     const FitOptions& options) {
  Clock::time_point start = Clock::now();
  Compiled& step = compiled(Kind::training, training, batch_for(training));
  History history{.compile_seconds = step.compile_seconds};
  allocate(step);
  backend_.upload(Tensor::scalar(static_cast<float>(optimizer_state_.learning_rate)),
                  *step.input("learning_rate"));
  if (step.has_input("seed"))
    backend_.upload(Tensor::scalar(static_cast<int64_t>(options_.seed)), *step.input("seed"));
  Batches batches = batches_of(training, step.shape, options.shuffle);
  Recording recording(*step.executable, options.profile);
  Reporter quiet;
  EpochRun run{step, training, batches, options, options.reporter ? *options.reporter : quiet,
               start};
  run.skip_to(options.initial_epoch);
  run.reporter.train_begin(options.epochs);
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs; ++epoch) {
    std::optional<EpochRecord> record = run_epoch(run, epoch, history);
    history.interrupted = !record.has_value();
    if (history.interrupted) break;
    if (validation != nullptr)
      for (auto& [name, value] : evaluate(*validation))
        record->logs.emplace_back("val_" + name, value);
    history.epochs.push_back(*record);
    run.reporter.epoch_end(*record);
    if (options.epoch_end && !options.epoch_end(history)) break;
  }
  return history;
}

// Nothing when it was interrupted.
std::optional<EpochRecord> Trainer::run_epoch(EpochRun& epoch_run, int64_t epoch,
                                              History& history) {
  Clock::time_point start = Clock::now();
  Compiled& step = epoch_run.step;
  step.reset();
  const EpochSteps steps = epoch_run.steps_of(epoch);
  if (steps.first == 0) epoch_run.batches.start_epoch(steps.pass);
  epoch_run.reporter.epoch_begin(epoch, steps.count);
  Logs logs;
  StepProfile* profile = epoch_run.options.profile;
  if (profile != nullptr) profile->begin_epoch();
  for (int64_t number = 1; number <= steps.count; ++number) {
    const Batch* batch = epoch_run.batches.next();
    if (profile != nullptr) profile->batch_ready();
    run(step, *batch);
    if (history.first_step_seconds == 0)
      history.first_step_seconds = seconds_since(epoch_run.start);
    if (epoch_run.options.step_loss) epoch_run.options.step_loss(step.last_loss);
    require_finite(step.last_loss, epoch, number, epoch_run.data);
    fill_logs(step, logs);
    epoch_run.reporter.step_end(number, logs);
    if (profile != nullptr) profile->end_step();
    if (epoch_run.options.interrupted && epoch_run.options.interrupted()) return std::nullopt;
  }
  return EpochRecord{.epoch = epoch,
                     .seconds = seconds_since(start),
                     .steps = steps.count,
                     .samples = static_cast<int64_t>(step.samples),
                     .logs = logs};
}

Logs Trainer::evaluate(const Dataset& data) {
  Compiled& step = compiled(Kind::evaluation, data, batch_for(data));
  allocate(step);
  step.reset();
  Batches batches = batches_of(data, step.shape, false);
  batches.start_epoch(0);
  while (const Batch* batch = batches.next()) run(step, *batch);
  Logs logs;
  fill_logs(step, logs);
  return logs;
}

std::vector<Tensor> Trainer::predict(const Dataset& data) {
  Compiled& step = compiled(Kind::prediction, data, batch_for(data));
  allocate(step);
  Batches batches = batches_of(data, step.shape, false);
  batches.start_epoch(0);
  std::vector<Tensor> predictions;
  int64_t done = 0;
  while (const Batch* batch = batches.next()) {
    upload_batch(step, *batch);
    step.executable->run(step.input_buffers, step.output_buffers);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      Tensor part = backend_.download(step.output_buffers[i]);
      if (predictions.size() == i) predictions.push_back(rows_like(part, data.samples()));
      size_t row = part.bytes() / static_cast<size_t>(part.shape()[0]);
      std::memcpy(predictions[i].data() + static_cast<size_t>(done) * row, part.data(),
                  static_cast<size_t>(batch->valid) * row);
    }
    done += batch->valid;
  }
  return predictions;
}

void Trainer::download() {
  auto fetch = [&](const std::string& name, Tensor& value) {
    if (auto found = state_.find(name); found != state_.end())
      backend_.download(*found->second, value);
  };
  size_t trained = 0;
  for (const ModelWeight& each : model_.weights()) {
    fetch("weight/" + each.path, each.weight->value);
    if (!each.trained || config_.optimizer == nullptr) continue;
    const std::vector<std::string> names = config_.optimizer->slots();
    for (size_t i = 0; i < names.size(); ++i)
      fetch(slot_name(each, names[i]), optimizer_state_.slots.at(trained).at(i));
    ++trained;
  }
  Tensor iteration = Tensor::scalar(optimizer_state_.iteration);
  fetch("iteration", iteration);
  optimizer_state_.iteration = iteration.values<int64_t>()[0];
}

}  // namespace hornbeam
