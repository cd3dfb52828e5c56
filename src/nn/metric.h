// Metrics: formulas that give one value a sample; an epoch's value is their mean over all samples.
#pragma once

#include "ir/builder.h"
#include "nn/object.h"
#include "nn/sample_weights.h"

namespace hornbeam {

class Metric : public KerasObject {
 public:
  std::string name;  // as it is logged; that of the class when it is empty

  // target, prediction: (batch, …). The result has the shape of the prediction without its last
  // axis.
  virtual Expr values(Expr target, Expr prediction) const = 0;
  void fields(Fields& f) override;
};
using MetricPointer = std::shared_ptr<const Metric>;

// The value of a batch is total / count. Both are sums over the samples of a slice; over slices and
// batches they add up.
struct MetricSums {
  Expr total, count;
};
MetricSums metric_sums(Expr values, const SampleWeights& weights);

const ObjectTable<Metric>& metrics();
// `form` is a name or an object. "accuracy" is resolved by the shapes as Keras 3 does: binary for
// one output column, by class numbers where targets have no column for each class, else by columns.
MetricPointer metric_by_name(const Json& form, const Shape& target, const Shape& prediction,
                             const std::string& place);

}  // namespace hornbeam
