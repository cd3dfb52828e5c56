// The optimizers. Formulas: Keras 3, keras/src/optimizers.
#include <fmt/format.h>

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
    if (!(momentum_ >= 0 && momentum_ <= 1))
      f.refuse("momentum", fmt::format("expected 0 to 1, received {}", momentum_));
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
    f("amsgrad", amsgrad_);
  }
  std::vector<std::string> slots() const override {
    std::vector<std::string> names{"momentum", "velocity"};
    if (amsgrad_) names.push_back("velocity_hat");
    return names;
  }
  size_t stored_together() const override { return 2; }
  Expr update(Rule& r) const override {
    Builder& build = *r.weight.builder;
    Expr beta_1_power = power(scalar(build, DType::float32, beta_1_), r.iteration);
    Expr beta_2_power = power(scalar(build, DType::float32, beta_2_), r.iteration);
    Expr alpha = r.learning_rate * sqrt(1 - beta_2_power) / (1 - beta_1_power);
    Expr m = r.slots[0] + (r.gradient - r.slots[0]) * (1 - beta_1_);
    Expr v = r.slots[1] + (r.gradient * r.gradient - r.slots[1]) * (1 - beta_2_);
    r.slots[0] = m;
    r.slots[1] = v;
    if (amsgrad_) v = r.slots[2] = maximum(r.slots[2], v);
    return r.weight - m * alpha / (sqrt(v) + epsilon_);
  }

 private:
  double beta_1_ = 0.9, beta_2_ = 0.999, epsilon_ = 1e-7;
  bool amsgrad_ = false;  // Reddi, Kale and Kumar, 2018: the largest velocity so far
};

class AdamW : public Adam {
 public:
  AdamW() { weight_decay = 0.004; }
  std::string_view class_name() const override { return "AdamW"; }
  void fields(Fields& f) override {
    Adam::fields(f);
    if (!weight_decay) f.refuse("weight_decay", "AdamW needs a number, received null");
  }
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
  size_t stored_together() const override { return 0; }
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
