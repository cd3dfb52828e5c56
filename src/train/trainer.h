// Trainer: holds the state of a model on a backend and runs its steps over data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batches.h"
#include "runtime/backend.h"
#include "train/device_state.h"
#include "train/history.h"
#include "train/reporter.h"
#include "train/step.h"
#include "train/step_profile.h"

namespace hornbeam {

struct TrainerOptions {
  int64_t batch = 32;
  int replicas = 1;
  uint64_t seed = 0;
  std::vector<std::shared_ptr<Layer>> transforms;
  std::vector<std::string> disabled_passes;
  // Called with the graph after every pass, when set.
  std::function<void(std::string_view pass, const Graph& graph)> dump = {};
  MatmulPrecision matmul_precision = MatmulPrecision::highest;
  // Bytes that a step may need. A batch that needs more is run in microbatches, with the same
  // result to rounding; what does not fit even so is refused (H401) before anything is allocated.
  int64_t memory_limit = INT64_MAX;
};

struct FitOptions {
  int64_t epochs = 1;
  int64_t initial_epoch = 0;
  bool shuffle = true;
  std::optional<int64_t> steps_per_epoch;
  Reporter* reporter = nullptr;
  // After every epoch, with the history so far; false stops.
  std::function<bool(const History&)> epoch_end;
  // Asked after every step, when set: true ends the fit there, and that epoch has no record.
  std::function<bool()> interrupted = {};
  // Called with the loss of every single step, when set.
  std::function<void(double loss)> step_loss = {};
  // Gets the times of the training steps, when set.
  StepProfile* profile = nullptr;
};

class Trainer {
  enum class Kind { training, evaluation, prediction };

 public:
  // The model is built and has its weights; `config` may lack an optimizer when nothing is trained.
  // Both the model and the backend must outlive this.
  Trainer(Model& model, CompileConfig config, Backend& backend, TrainerOptions options);
  ~Trainer();

  // The state to go on from; fresh when this is not called.
  void set_optimizer_state(OptimizerState state);

  History fit(const Dataset& training, const Dataset* validation, const FitOptions& options);
  Logs evaluate(const Dataset& data, Reporter* reporter = nullptr);
  // One tensor an output: (samples, …).
  std::vector<Tensor> predict(const Dataset& data, Reporter* reporter = nullptr);

  // The training step compiled for full batches of data of that kind, not run and without memory.
  const Executable& compile_training(const Dataset& like);
  // The same for validation on such data.
  const Executable& compile_validation(const Dataset& like);
  // Refuses it when it needs more memory than there may be.
  void require_memory(const MemoryPlan& plan) const;

  // The training step before any pass, for people.
  Graph training_graph(const Dataset& like) {
    return traced(Kind::training, like, shape_for(like, options_.batch));
  }

  // Weights and the optimizer's state live on the backend from the first step on: there the host's
  // tensors become empty. This brings copies back, into the model and the optimizer's state.
  void download() { state_.download(); }
  const OptimizerState& optimizer_state() const { return state_.optimizer_state(); }
  // The same state to be saved, read where it is; valid until the next step.
  StateSources state() const { return state_.sources(); }

 private:
  struct Compiled;
  struct EpochRun;

  Compiled& compiled(Kind kind, const Dataset& like, int64_t batch);
  int64_t batch_for(const Dataset& data) const;
  void require_targets(const Dataset& data) const;
  Graph traced(Kind kind, const Dataset& like, const StepShape& shape);
  StepShape shape_for(const Dataset& like, int64_t batch) const;
  bool runs_whole(const MemoryPlan& plan) const;
  void compile(Compiled& step, Kind kind, const Dataset& like, const StepShape& shape);
  void allocate(Compiled& step);
  Buffer input_buffer(const Port& port, const Type& type);
  void upload_batch(Compiled& step, const Batch& batch);
  void start(Compiled& step, const Batch& batch);
  void finish(Compiled& step);
  void finish_training(EpochRun& epoch_run, int64_t epoch, int64_t number, History& history);
  std::optional<EpochRecord> run_epoch(EpochRun& epoch_run, int64_t epoch, History& history);
  static void fill_logs(const Compiled& step, Logs& logs);
  static std::vector<Batch> staging_for(const Dataset& data, const StepShape& shape);
  BatchOptions batch_options(const Dataset& data, bool shuffle) const;

  Model& model_;
  CompileConfig config_;
  std::vector<OutputObjective> objectives_;
  Backend& backend_;
  TrainerOptions options_;
  StepSource source_;
  DeviceState state_;
  std::map<Kind, std::unique_ptr<Compiled>> compiled_;
  std::map<std::string, Buffer> input_buffers_;  // that steps share, which run in turns
};

}  // namespace hornbeam
