#include "train/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "ir/scope.h"
#include "nn/masks.h"
#include "ops/gradients.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// "dense" of the weight "dense/kernel".
std::string layer_of(const ModelWeight& weight) {
  return weight.path.substr(0, weight.path.rfind('/'));
}

const std::string& scope_of(Expr x) { return x.builder->graph().node(x.value).scope; }

class StepTracer {
 public:
  StepTracer(const StepSource& source, const StepShape& shape, bool training)
      : source_(source), shape_(shape), build_(training), trace_(build_, training) {
    check(shape.batch % shape.replicas == 0, "a batch is a multiple of the replicas");
    slice_ = shape.batch / shape.replicas;
    weights_ = source.model.weights();
    for (const ModelWeight& each : weights_) {
      build_.set_scope(layer_of(each));
      trace_.weights[each.weight] =
          build_.input("weight/" + each.path, {DType::float32, each.weight->shape}, Role::state);
    }
    build_.set_scope("");
  }

  Graph train(const std::vector<OutputObjective>& objectives, const Optimizer& optimizer) {
    Expr iteration = build_.input("iteration", {DType::int64, {}}, Role::state);
    std::vector<Exprs> slots = slot_inputs(optimizer);
    parameters(iteration);
    Expr objective = measure(objectives);
    std::vector<Trained> trained = with_gradients(objective, slots);
    build_.set_scope(update_scope(""));
    Expr next = iteration + build_.constant(Tensor::scalar(int64_t{1}));
    trained = optimizer.apply(std::move(trained), learning_rate_, convert(next, DType::float32));
    build_.output("iteration", next, Role::state);
    new_state(optimizer, trained);
    return build_.finish();
  }

  Graph evaluate(const std::vector<OutputObjective>& objectives) {
    slice_of_batch();
    measure(objectives);
    return build_.finish();
  }

  Graph predict() {
    slice_of_batch();
    Exprs predictions = forward();
    for (size_t i = 0; i < predictions.size(); ++i)
      build_.output(fmt::format("prediction/{}", i), convert(predictions[i], DType::float32),
                    Role::batch);
    return build_.finish();
  }

 private:
  std::vector<Exprs> slot_inputs(const Optimizer& optimizer) {
    std::vector<Exprs> all;
    for (const ModelWeight& each : weights_) {
      if (!each.trained) continue;
      Exprs slots;
      for (const std::string& name : optimizer.slots())
        slots.push_back(build_.input(fmt::format("slot/{}/{}", each.path, name),
                                     {DType::float32, each.weight->shape}, Role::state));
      all.push_back(std::move(slots));
    }
    return all;
  }

  void parameters(Expr iteration) {
    learning_rate_ = build_.input("learning_rate", {DType::float32, {}}, Role::parameter);
    Expr seed = build_.input("seed", {DType::int64, {}}, Role::parameter);
    slice_of_batch();
    trace_.step_key = fold_in(fold_in(seed, iteration), replica_id(build_));
  }

  // The number of real samples of this slice, and 1 for each of them.
  void slice_of_batch() {
    Expr valid = build_.input("valid", {DType::int32, {}}, Role::parameter);
    sample_weights_.samples = convert(valid, DType::float32);
    Expr before = convert(replica_id(build_), DType::int32) *
                  build_.constant(Tensor::scalar(static_cast<int32_t>(slice_)));
    trace_.valid = minimum(maximum(valid - before, 0.0), static_cast<double>(slice_));
    Expr numbers = iota(build_, {DType::int32, {slice_}}, 0);
    sample_weights_.real = convert(compare(numbers, "LT", trace_.valid), DType::float32);
  }

  Type batch_type(const Type& sample) const {
    std::vector<int64_t> extents{slice_};
    extents.insert(extents.end(), sample.shape.begin(), sample.shape.end());
    return {sample.dtype, Shape(std::move(extents))};
  }

  Exprs forward() {
    Exprs inputs;
    for (size_t i = 0; i < shape_.inputs.size(); ++i) {
      Exprs x{build_.input(fmt::format("input/{}", i), batch_type(shape_.inputs[i]))};
      for (const std::shared_ptr<Layer>& transform : source_.transforms) {
        build_.set_scope(transform->name);
        x = call_layer(*transform, trace_, x);
      }
      inputs.push_back(fitted_input(x[0], i));
    }
    build_.set_scope("");
    return source_.model.call(trace_, inputs);
  }

  // A flat sample for an input that has axes, or the other way round, is reshaped.
  Expr fitted_input(Expr x, size_t number) {
    std::optional<std::vector<Shape>> declared = source_.model.declared_shapes();
    if (!declared || number >= declared->size()) return x;
    Shape wanted = (*declared)[number];
    wanted[0] = slice_;
    return x.shape() != wanted && x.shape().elements() == wanted.elements() ? reshape(x, wanted)
                                                                            : x;
  }

  // Adds the results and gives what is differentiated: this slice's part of the loss.
  Expr measure(const std::vector<OutputObjective>& objectives) {
    Exprs predictions = forward();
    if (shape_.sample_weight)
      sample_weights_.given = build_.input("sample_weight", {DType::float32, {slice_}});
    Expr objective = scalar(build_, DType::float32, 0);
    Exprs losses;  // with the names of their outputs
    std::vector<std::string> names;
    auto targets = *targets_of(objectives, shape_.targets.size());
    for (size_t i = 0; i < objectives.size(); ++i) {
      if (!targets[i]) continue;
      build_.set_scope("loss");
      Expr target = build_.input(fmt::format("target/{}", *targets[i]),
                                 batch_type(shape_.targets[*targets[i]]));
      // Losses and metrics are float32, whatever the policies of layers say.
      Expr prediction = convert(predictions[i], DType::float32);
      Expr loss = output_loss(objectives[i], target, prediction, i);
      if (!loss) continue;
      objective = losses.empty() && objectives[i].weight == 1
                      ? loss
                      : objective + loss * objectives[i].weight;
      losses.push_back(loss);
      names.push_back(source_.model.output_name(i));
    }
    Expr total = all_reduce(objective);
    if (Expr penalty = penalties()) total = total + penalty;
    build_.output("loss", total);
    for (size_t i = 0; losses.size() > 1 && i < losses.size(); ++i)
      build_.output(names[i] + "_loss", all_reduce(losses[i]));
    return objective;
  }

  // Adds the metrics of an output; its loss, or an empty Expr where it has none.
  Expr output_loss(const OutputObjective& objective, Expr target, Expr prediction, size_t number) {
    const std::string& layer = source_.model.output_name(number);
    Expr fitted =
        objective.loss ? fitted_target(*objective.loss, target, prediction, layer) : target;
    auto measured = [&](const Json& form, bool weighted) {
      MetricPointer metric =
          metric_by_name(form, target.shape(), prediction.shape(), "metrics of " + layer);
      build_.set_scope("metrics");
      add_metric(log_name(layer, metric->name, weighted), metric->values(fitted, prediction),
                 weighted);
    };
    for (const Json& form : objective.metrics) measured(form, false);
    for (const Json& form : objective.weighted_metrics) measured(form, true);
    if (objective.loss == nullptr) return {};
    build_.set_scope("loss");
    return reduced_loss(*objective.loss, objective.loss->values(fitted, prediction), fitted,
                        sample_weights_);
  }

  void add_metric(const std::string& name, Expr values, bool weighted) {
    SampleWeights weights = sample_weights_;
    if (!weighted) weights.given = {};
    MetricSums sums = metric_sums(values, weights);
    if (!weights.given) return build_.output(name, all_reduce(sums.total) / weights.samples);
    Expr count = all_reduce(sums.count);
    build_.output(name, divide_or_zero(all_reduce(sums.total), count));
    build_.output(name + std::string(count_suffix), count);
  }

  // As Keras tells apart what would have the same name: a second "accuracy" is "accuracy_1", or
  // "weighted_accuracy".
  std::string log_name(const std::string& layer, const std::string& metric, bool weighted) {
    std::string prefix = source_.model.outputs.size() > 1 ? layer + "_" : "";
    std::string name = prefix + metric;
    if (weighted && log_names_.contains(name)) name = prefix + "weighted_" + metric;
    int number = log_names_[name]++;
    return number == 0 ? name : fmt::format("{}_{}", name, number);
  }

  // The penalties on trained weights (Keras leaves frozen ones out), or an empty Expr when there
  // are none.
  Expr penalties() {
    Expr total;
    build_.set_scope("regularizers");
    for (const ModelWeight& each : weights_) {
      if (!each.trained || each.weight->regularizer == nullptr) continue;
      Expr penalty = each.weight->regularizer->penalty(trace_.weights[each.weight]);
      total = total ? total + penalty : penalty;
    }
    return total;
  }

  std::vector<Trained> with_gradients(Expr objective, const std::vector<Exprs>& slots) {
    Exprs values;
    for (const ModelWeight& each : weights_)
      if (each.trained) values.push_back(trace_.weights[each.weight]);
    Exprs data = gradients(objective, values);
    Expr penalty = penalties();
    Exprs extra = penalty ? gradients(penalty, values) : Exprs{};
    std::vector<Trained> trained;
    for (size_t i = 0; i < values.size(); ++i) {
      build_.set_scope(gradient_scope(scope_of(values[i])));
      Expr gradient = all_reduce(data[i]);
      if (penalty) gradient = gradient + extra[i];
      trained.push_back({values[i], gradient, slots[i]});
    }
    return trained;
  }

  void new_state(const Optimizer& optimizer, const std::vector<Trained>& trained) {
    size_t number = 0;
    for (const ModelWeight& each : weights_) {
      if (auto moved = trace_.updates.find(each.weight); moved != trace_.updates.end())
        build_.output("weight/" + each.path, moved->second, Role::state);
      if (!each.trained) continue;
      const Trained& result = trained[number++];
      const Constraint* constraint = each.weight->constraint.get();
      build_.set_scope(update_scope(layer_of(each)));
      Expr value = constraint == nullptr ? result.weight : constraint->apply(result.weight);
      build_.output("weight/" + each.path, value, Role::state);
      for (size_t i = 0; i < result.slots.size(); ++i)
        build_.output(fmt::format("slot/{}/{}", each.path, optimizer.slots()[i]), result.slots[i],
                      Role::state);
    }
  }

  const StepSource& source_;
  const StepShape& shape_;
  Builder build_;
  Trace trace_;
  int64_t slice_ = 0;
  std::vector<ModelWeight> weights_;
  Expr learning_rate_;
  SampleWeights sample_weights_;
  std::map<std::string, int> log_names_;
};

// One entry for each output: the value itself for a single one, else the entries of a list or an
// object by output name.
Json entry_for(const Model& model, const Json& value, size_t number) {
  if (value.is_object() && value.find("class_name") == nullptr) {
    const Json* found = value.find(model.output_name(number));
    return found == nullptr ? Json() : *found;
  }
  if (model.outputs.size() == 1 || !value.is_array()) return value;
  return number < value.as_array().size() ? value.as_array()[number] : Json();
}

std::vector<Json> metric_list(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_array()) return {value};
  std::vector<Json> all;
  for (const Json& item : value.as_array())
    for (const Json& metric : metric_list(item)) all.push_back(metric);
  return all;
}

// A list of one entry means that entry.
Json without_list(const Json& form) {
  return form.is_array() && form.as_array().size() == 1 ? form.as_array()[0] : form;
}

}  // namespace

Graph training_step(const StepSource& source, const std::vector<OutputObjective>& objectives,
                    const Optimizer& optimizer, const StepShape& shape) {
  return StepTracer(source, shape, true).train(objectives, optimizer);
}

Graph evaluation_step(const StepSource& source, const std::vector<OutputObjective>& objectives,
                      const StepShape& shape) {
  return StepTracer(source, shape, false).evaluate(objectives);
}

Graph prediction_step(const StepSource& source, const StepShape& shape) {
  return StepTracer(source, shape, false).predict();
}

std::optional<std::vector<std::optional<size_t>>> targets_of(
    const std::vector<OutputObjective>& objectives, size_t count) {
  const bool all = count == objectives.size();
  std::vector<std::optional<size_t>> numbers;
  size_t next = 0;
  for (const OutputObjective& objective : objectives)
    numbers.push_back(all || objective.loss ? std::optional(next++) : std::nullopt);
  return next == count ? std::optional(numbers) : std::nullopt;
}

namespace {

// A list or an object says of each output whether it has a loss.
LossPointer loss_of(const Model& model, const CompileConfig& config, size_t number) {
  std::string place = "loss of " + model.output_name(number);
  Json form = without_list(entry_for(model, config.loss, number));
  return form.is_null() && model.outputs.size() > 1 ? nullptr : loss_by_name(form, place);
}

void require_usable(const Model& model, const std::vector<OutputObjective>& objectives) {
  if (std::ranges::none_of(objectives,
                           [](const OutputObjective& each) { return each.loss != nullptr; }))
    throw Error("H111", {.message = "no output of the model has a loss", .place = model.name});
  std::vector<bool> masked = masked_outputs(model);
  for (size_t i = 0; i < objectives.size(); ++i)
    if (masked[i])
      throw Error("H111", {.message = "the mask of an Embedding with mask_zero reaches the output, "
                                      "whose loss would use it; that is not supported",
                           .place = "loss of " + model.output_name(i)});
}

}  // namespace

std::vector<OutputObjective> objectives_of(const Model& model, const CompileConfig& config) {
  std::vector<OutputObjective> objectives;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    OutputObjective objective{.loss = loss_of(model, config, i)};
    Json weight = without_list(entry_for(model, config.loss_weights, i));
    if (!weight.is_null()) objective.weight = weight.as_number();
    objective.metrics = metric_list(entry_for(model, config.metrics, i));
    objective.weighted_metrics = metric_list(entry_for(model, config.weighted_metrics, i));
    objectives.push_back(std::move(objective));
  }
  require_usable(model, objectives);
  return objectives;
}

}  // namespace hornbeam
