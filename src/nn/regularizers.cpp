#include <fmt/format.h>

#include "nn/regularizer.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// l1 * sum |w| + l2 * sum w^2. L1 and L2 are its one-sided forms, with a factor of 0.01.
class L1L2 : public Regularizer {
 public:
  explicit L1L2(std::string_view name = "L1L2", double l1 = 0, double l2 = 0)
      : name_(name), l1_(l1), l2_(l2) {}
  std::string_view class_name() const override { return name_; }
  void fields(Fields& f) override {
    if (name_ != "L2") f("l1", l1_);
    if (name_ != "L1") f("l2", l2_);
    if (!(l1_ >= 0 && l2_ >= 0))
      f.refuse(l1_ >= 0 ? "l2" : "l1",
               fmt::format("expected 0 or more, received {}", l1_ >= 0 ? l2_ : l1_));
  }
  Expr penalty(Expr weight) const override {
    Expr total = scalar(*weight.builder, weight.dtype(), 0);
    if (l1_ != 0) total = total + sum_all(abs(weight)) * l1_;
    if (l2_ != 0) total = total + sum_all(weight * weight) * l2_;
    return total;
  }

 private:
  std::string_view name_;
  double l1_, l2_;
};

}  // namespace

const ObjectTable<Regularizer>& regularizers() {
  static const ObjectTable<Regularizer> table{
      "regularizer",
      "keras.regularizers",
      {
          {"L1", {}, [] { return std::unique_ptr<Regularizer>(new L1L2("L1", 0.01, 0)); }},
          {"L2", {}, [] { return std::unique_ptr<Regularizer>(new L1L2("L2", 0, 0.01)); }},
          {"L1L2", {"l1_l2"}, [] { return std::unique_ptr<Regularizer>(new L1L2()); }},
      }};
  return table;
}

}  // namespace hornbeam
