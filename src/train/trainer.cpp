#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "train/compiled_step.h"
#include "train/memory_refusal.h"

namespace hornbeam {
namespace {

Type sample_type(const NamedTensor& data) {
  const Shape& shape = data.tensor.shape();
  return {data.tensor.dtype(), Shape(std::vector<int64_t>(shape.begin() + 1, shape.end()))};
}

Types sample_types(const std::vector<NamedTensor>& all) {
  Types types;
  for (const NamedTensor& each : all) types.push_back(sample_type(each));
  return types;
}

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

Trainer::Trainer(Model& model, CompileConfig config, Backend& backend, TrainerOptions options)
    : model_(model),
      config_(std::move(config)),
      backend_(backend),
      options_(std::move(options)),
      source_{model, options_.transforms},
      state_(model, config_.optimizer, backend) {
  if (!config_.loss.is_null()) objectives_ = objectives_of(model, config_);
}

Trainer::~Trainer() = default;

void Trainer::set_optimizer_state(OptimizerState state) {
  state_.set_optimizer(std::move(state));
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
  if (targets_of(objectives_, data.targets.size())) return;
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

bool Trainer::runs_whole(const MemoryPlan& plan) const {
  return plan.microbatches.samples == 0 && plan.peak_bytes <= options_.memory_limit;
}

void Trainer::compile(Compiled& step, Kind kind, const Dataset& like, const StepShape& shape) {
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
                                             .memory_limit = options_.memory_limit,
                                             .staged_bytes = batches_ahead * batch_bytes,
                                             .dump = options_.dump});
}

Trainer::Compiled& Trainer::compiled(Kind kind, const Dataset& like, int64_t batch) {
  StepShape shape = shape_for(like, batch);
  std::unique_ptr<Compiled>& step = compiled_[kind];
  if (step != nullptr && same_kind(step->asked, shape)) return *step;
  Clock::time_point start = Clock::now();
  step = std::make_unique<Compiled>();
  step->asked = shape;
  compile(*step, kind, like, shape);
  if (const StepShape rounded = rounded_for_parts(shape);
      rounded.batch != shape.batch && !runs_whole(step->executable->memory_plan())) {
    step->executable.reset();  // its memory is given back with that of the search for a cut
    compile(*step, kind, like, rounded);
  }
  step->means = means_of(step->outputs);
  step->compile_seconds = seconds_since(start);
  return *step;
}

const Executable& Trainer::compile_training(const Dataset& like) {
  return *compiled(Kind::training, like, options_.batch).executable;
}

const Executable& Trainer::compile_validation(const Dataset& like) {
  return *compiled(Kind::evaluation, like, batch_for(like)).executable;
}

// Training and validation take turns, and both get their input anew for every run.
Buffer Trainer::input_buffer(const Port& port, const Type& type) {
  Buffer& last = input_buffers_[port.name];
  if (last == nullptr || last->type() != type) last = backend_.allocate(type, port.role);
  return last;
}

// Gives the step its buffers, which it shares with others.
void Trainer::allocate(Compiled& step) {
  if (!step.input_buffers.empty()) return;
  require_memory(step.executable->memory_plan());
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const Port& port = step.inputs[i];
    const Type& type = step.input_types[i];
    step.input_buffers.push_back(port.role == Role::state ? state_.buffer(port.name, type)
                                                          : input_buffer(port, type));
  }
  step.runs.assign(static_cast<size_t>(backend_.steps_ahead()) + 1,
                   {.outputs = std::vector<Buffer>(step.outputs.size())});
  give_free_memory_back();  // what compiling took and the host's weights: no part of the plan
  step.executable->prepare();
}

}  // namespace hornbeam
