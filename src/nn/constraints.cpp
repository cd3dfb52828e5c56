// The constraints. Formulas: Keras 3, keras/src/constraints.
#include "nn/constraint.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

constexpr double epsilon = 1e-7;

class NonNeg : public Constraint {
 public:
  std::string_view class_name() const override { return "NonNeg"; }
  Expr apply(Expr weight) const override { return maximum(weight, 0.0); }
};

// Norms along one axis or several.
class NormConstraint : public Constraint {
 public:
  void fields(Fields& f) override {
    auto read = [&](const Json& json) {
      axes_.clear();
      if (!json.is_array()) return axes_.push_back(json.as_integer());
      for (const Json& axis : json.as_array()) axes_.push_back(axis.as_integer());
    };
    f.custom("axis", read, [&] {
      if (axes_.size() == 1) return Json(axes_[0]);
      return Json(Json::Array(axes_.begin(), axes_.end()));
    });
  }

  Expr apply(Expr weight) const override {
    Integers axes;
    for (int64_t axis : axes_) axes.push_back(normalized_axis(axis, weight.rank()));
    Expr norm = sqrt(sum_keep(weight * weight, axes));
    return weight * broadcast_to(wanted(norm) / (norm + epsilon), weight.shape());
  }

 private:
  virtual Expr wanted(Expr norm) const = 0;
  std::vector<int64_t> axes_{0};
};

class MaxNorm : public NormConstraint {
 public:
  std::string_view class_name() const override { return "MaxNorm"; }
  void fields(Fields& f) override {
    f("max_value", max_value_);
    NormConstraint::fields(f);
  }

 private:
  Expr wanted(Expr norm) const override { return minimum(norm, max_value_); }
  double max_value_ = 2;
};

class UnitNorm : public NormConstraint {
 public:
  std::string_view class_name() const override { return "UnitNorm"; }

 private:
  Expr wanted(Expr norm) const override { return full_like(norm, 1); }
};

// Norms are moved towards the range by a share of the way.
class MinMaxNorm : public NormConstraint {
 public:
  std::string_view class_name() const override { return "MinMaxNorm"; }
  void fields(Fields& f) override {
    f("min_value", min_value_);
    f("max_value", max_value_);
    f("rate", rate_);
    NormConstraint::fields(f);
  }

 private:
  Expr wanted(Expr norm) const override {
    return minimum(maximum(norm, min_value_), max_value_) * rate_ + norm * (1 - rate_);
  }
  double min_value_ = 0, max_value_ = 1, rate_ = 1;
};

}  // namespace

const ObjectTable<Constraint>& constraints() {
  static const ObjectTable<Constraint> table{
      "constraint",
      "keras.constraints",
      {
          {"MaxNorm", {}, make_object<Constraint, MaxNorm>},
          {"MinMaxNorm", {}, make_object<Constraint, MinMaxNorm>},
          {"NonNeg", {"nonneg"}, make_object<Constraint, NonNeg>},
          {"UnitNorm", {"unitnorm"}, make_object<Constraint, UnitNorm>},
      }};
  return table;
}

}  // namespace hornbeam
