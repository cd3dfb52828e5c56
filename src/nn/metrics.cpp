#include "nn/metric.h"
#include "nn/names.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

Expr as_float(Expr x) { return convert(x, DType::float32); }

// The target in the shape of the prediction. As in Keras one number a sample (a class, say) stands
// against every column of the prediction.
Expr spread(Expr target, Expr prediction) {
  Shape shape(prediction.shape());
  if (target.shape().elements() == shape.elements()) return as_float(reshape(target, shape));
  Shape column = shape;
  column[column.rank() - 1] = 1;
  return broadcast_to(as_float(reshape(target, column)), shape);
}

Shape without_last(const Shape& shape) {
  return Shape(std::vector<int64_t>(shape.begin(), shape.end() - 1));
}

// Class numbers, from numbers or from one-hot rows.
Expr class_numbers(Expr target, Expr prediction) {
  Shape numbers = without_last(prediction.shape());
  if (target.shape() == prediction.shape() && prediction.shape()[prediction.rank() - 1] > 1)
    return argmax(target, -1);
  return convert(reshape(target, numbers), DType::int32);
}

class ClassAccuracy : public Metric {
 public:
  explicit ClassAccuracy(bool sparse = false) : sparse_(sparse) {}
  std::string_view class_name() const override {
    return sparse_ ? "SparseCategoricalAccuracy" : "CategoricalAccuracy";
  }
  Expr values(Expr target, Expr prediction) const override {
    // Compared as float32, which kernels do beside what follows: that joins no two classes below
    // 2^24, nor such a class with any other number.
    return as_float(compare(as_float(class_numbers(target, prediction)), "EQ",
                            as_float(argmax(prediction, -1))));
  }

 private:
  bool sparse_;
};

// A probability above the threshold counts as 1.
class BinaryAccuracy : public Metric {
 public:
  std::string_view class_name() const override { return "BinaryAccuracy"; }
  void fields(Fields& f) override {
    Metric::fields(f);
    f("threshold", threshold_);
  }
  Expr values(Expr target, Expr prediction) const override {
    Expr expected = spread(target, prediction);
    Expr given = as_float(compare(prediction, "GT", threshold_));
    return mean(as_float(compare(expected, "EQ", given)), {-1});
  }

 private:
  double threshold_ = 0.5;
};

class SquaredError : public Metric {
 public:
  std::string_view class_name() const override { return "MeanSquaredError"; }
  Expr values(Expr target, Expr prediction) const override {
    return mean_squared_error(spread(target, prediction), prediction);
  }
};

class AbsoluteError : public Metric {
 public:
  std::string_view class_name() const override { return "MeanAbsoluteError"; }
  Expr values(Expr target, Expr prediction) const override {
    return mean_absolute_error(spread(target, prediction), prediction);
  }
};

std::string_view resolved_accuracy(const Shape& target, const Shape& prediction) {
  int64_t columns = prediction.rank() > 0 ? prediction[prediction.rank() - 1] : 1;
  if (columns == 1) return "BinaryAccuracy";
  bool one_column = target.rank() > 0 && target[target.rank() - 1] == 1;
  if (target.rank() < prediction.rank() || one_column) return "SparseCategoricalAccuracy";
  return "CategoricalAccuracy";
}

}  // namespace

void Metric::fields(Fields& f) {
  name_field(f, name, class_name());
  f.ignore("dtype");
}

MetricSums metric_sums(Expr values, const SampleWeights& weights) {
  Integers positions;
  for (int64_t axis = 1; axis < values.rank(); ++axis) positions.push_back(axis);
  if (!positions.empty()) values = mean(values, positions);
  return {sum_all(weights.applied_to(values)), weights.sum()};
}

const ObjectTable<Metric>& metrics() {
  static const ObjectTable<Metric> table{
      "metric",
      "keras.metrics",
      {
          {"CategoricalAccuracy", {}, make_object<Metric, ClassAccuracy>},
          {"SparseCategoricalAccuracy",
           {},
           [] { return std::unique_ptr<Metric>(new ClassAccuracy(true)); }},
          {"BinaryAccuracy", {}, make_object<Metric, BinaryAccuracy>},
          {"MeanSquaredError", {"mse", "MSE"}, make_object<Metric, SquaredError>},
          {"MeanAbsoluteError", {"mae", "MAE"}, make_object<Metric, AbsoluteError>},
      }};
  return table;
}

MetricPointer metric_by_name(const Json& form, const Shape& target, const Shape& prediction,
                             const std::string& place) {
  std::string name = object_form(form, "metric", place).name;
  if (form.is_text() && (name == "accuracy" || name == "acc")) {
    std::unique_ptr<Metric> metric =
        make_by_name(metrics(), resolved_accuracy(target, prediction), place);
    metric->name = name;
    return metric;
  }
  std::unique_ptr<Metric> metric = read_object(metrics(), form, place);
  if (metric->name.empty()) metric->name = form.is_text() ? name : snake_case(metric->class_name());
  return metric;
}

}  // namespace hornbeam
