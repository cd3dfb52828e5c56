// The optimizers. Formulas: Keras 3, keras/src/optimizers.
#include <cmath>

#include "nn/optimizer.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

class SGD : public Optimizer {
 public:
  SGD() { learning_rate = 0.01; }
  std::string_view class_name() const override { return "SGD"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("momentum", momentum_);
    f("nesterov", nesterov_);
  }
  std::vector<std::string> slots() const override {
    return momentum_ == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum"};
  }
  Expr update(Rule& r) const override {
    Expr step = r.gradient * r.learning_rate;
    if (momentum_ == 0) return r.weight - step;
    Expr velocity = r.slots[0] * momentum_ - step;
    r.slots[0] = velocity;
    return nesterov_ ? r.weight + (velocity * momentum_ - step) : r.weight + velocity;
  }

 private:
  double momentum_ = 0;
  bool nesterov_ = false;
};

// Kingma and Ba, 2014, with both bias corrections folded into the rate and epsilon outside the
// root.
class Adam : public Optimizer {
 public:
  std::string_view class_name() const override { return "Adam"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("beta_1", beta_1_);
    f("beta_2", beta_2_);
    f("epsilon", epsilon_);
    f.fixed("amsgrad", false);
  }
  std::vector<std::string> slots() const override { return {"momentum", "velocity"}; }
  Expr update(Rule& r) const override {
    Builder& build = *r.weight.builder;
    Expr beta_1_power = power(scalar(build, DType::float32, beta_1_), r.iteration);
    Expr beta_2_power = power(scalar(build, DType::float32, beta_2_), r.iteration);
    Expr alpha = r.learning_rate * sqrt(1 - beta_2_power) / (1 - beta_1_power);
    Expr m = r.slots[0] + (r.gradient - r.slots[0]) * (1 - beta_1_);
    Expr v = r.slots[1] + (r.gradient * r.gradient - r.slots[1]) * (1 - beta_2_);
    r.slots = {m, v};
    return r.weight - m * alpha / (sqrt(v) + epsilon_);
  }

 private:
  double beta_1_ = 0.9, beta_2_ = 0.999, epsilon_ = 1e-7;
};

class AdamW : public Adam {
 public:
  AdamW() { weight_decay = 0.004; }
  std::string_view class_name() const override { return "AdamW"; }
};

class RMSprop : public Optimizer {
 public:
  std::string_view class_name() const override { return "RMSprop"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("rho", rho_);
    f("momentum", momentum_);
    f("epsilon", epsilon_);
    f("centered", centered_);
  }
  std::vector<std::string> slots() const override {
    std::vector<std::string> names{"velocity"};
    if (momentum_ > 0) names.push_back("momentum");
    if (centered_) names.push_back("average_gradient");
    return names;
  }
  bool interleaved() const override { return false; }
  Expr update(Rule& r) const override {
    size_t next = 0;
    Expr velocity = r.slots[next] * rho_ + r.gradient * r.gradient * (1 - rho_);
    r.slots[next++] = velocity;
    size_t momentum_slot = momentum_ > 0 ? next++ : 0;
    Expr denominator = velocity + epsilon_;
    if (centered_) {
      Expr average = r.slots[next] * rho_ + r.gradient * (1 - rho_);
      r.slots[next] = average;
      denominator = velocity - average * average + epsilon_;
    }
    Expr increment = r.gradient * r.learning_rate / sqrt(denominator);
    if (momentum_ > 0) {
      increment = r.slots[momentum_slot] * momentum_ + increment;
      r.slots[momentum_slot] = increment;
    }
    return r.weight - increment;
  }

 private:
  double rho_ = 0.9, momentum_ = 0, epsilon_ = 1e-7;
  bool centered_ = false;
};

}  // namespace

const ObjectTable<Optimizer>& optimizers() {
  static const ObjectTable<Optimizer> table{"optimizer",
                                            "keras.optimizers",
                                            {
                                                {"SGD", {}, make_object<Optimizer, SGD>},
                                                {"Adam", {}, make_object<Optimizer, Adam>},
                                                {"AdamW", {}, make_object<Optimizer, AdamW>},
                                                {"RMSprop", {}, make_object<Optimizer, RMSprop>},
                                            }};
  return table;
}

OptimizerPointer optimizer_by_name(const Json& form, const std::string& place) {
  return read_object(optimizers(), form, place);
}

}  // namespace hornbeam
