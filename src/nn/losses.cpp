#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "nn/loss.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

// 1 for each target that counts, 0 for the ignored class.
Expr counted(const Loss& loss, Expr target) {
  return convert(compare(target, "NE", static_cast<double>(*loss.ignored_class())), DType::float32);
}

class BinaryCrossentropy : public Loss {
 public:
  std::string_view class_name() const override { return "BinaryCrossentropy"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("from_logits", from_logits_);
    f("label_smoothing", label_smoothing_);
    f.fixed("axis", -1);
  }
  bool takes_probabilities() const override { return true; }
  Expr values(Expr target, Expr prediction) const override {
    return binary_crossentropy(target, prediction, from_logits_, label_smoothing_);
  }

 private:
  bool from_logits_ = false;
  double label_smoothing_ = 0;
};

class CategoricalCrossentropy : public Loss {
 public:
  std::string_view class_name() const override { return "CategoricalCrossentropy"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("from_logits", from_logits_);
    f("label_smoothing", label_smoothing_);
    f.fixed("axis", -1);
  }
  bool takes_one_hot() const override { return true; }
  Expr values(Expr target, Expr prediction) const override {
    return categorical_crossentropy(target, prediction, from_logits_, label_smoothing_);
  }

 private:
  bool from_logits_ = false;
  double label_smoothing_ = 0;
};

class SparseCategoricalCrossentropy : public Loss {
 public:
  std::string_view class_name() const override { return "SparseCategoricalCrossentropy"; }
  void fields(Fields& f) override {
    common_fields(f);
    f("from_logits", from_logits_);
    f("ignore_class", ignore_class_);
    f.neutral("axis", {-1});
  }
  bool takes_class_numbers() const override { return true; }
  std::optional<int64_t> ignored_class() const override { return ignore_class_; }
  Expr values(Expr target, Expr prediction) const override {
    Expr all = sparse_categorical_crossentropy(target, prediction, from_logits_);
    return ignore_class_ ? all * counted(*this, target) : all;
  }

 private:
  bool from_logits_ = false;
  std::optional<int64_t> ignore_class_;
};

class MeanSquaredError : public Loss {
 public:
  std::string_view class_name() const override { return "MeanSquaredError"; }
  void fields(Fields& f) override { common_fields(f); }
  Expr values(Expr target, Expr prediction) const override {
    return mean_squared_error(target, prediction);
  }
};

class MeanAbsoluteError : public Loss {
 public:
  std::string_view class_name() const override { return "MeanAbsoluteError"; }
  void fields(Fields& f) override { common_fields(f); }
  Expr values(Expr target, Expr prediction) const override {
    return mean_absolute_error(target, prediction);
  }
};

struct ReductionName {
  std::string_view name;
  Reduction reduction;
};
// The first of a kind is the one that is written; "auto" is that of Keras 2.
constexpr ReductionName reductions[] = {
    {"sum_over_batch_size", Reduction::mean},
    {"mean", Reduction::mean},
    {"auto", Reduction::mean},
    {"sum", Reduction::sum},
    {"mean_with_sample_weight", Reduction::mean_with_sample_weight},
};

bool equal_but_last_one(const Shape& longer, const Shape& shorter) {
  if (longer.rank() != shorter.rank() + 1 || longer[longer.rank() - 1] != 1) return false;
  return std::equal(shorter.begin(), shorter.end(), longer.begin());
}

// Class numbers and one column for each class are easily taken for each other.
std::string help_for(const Loss& loss, const Expr& target, bool holds_numbers, bool one_hot) {
  if (loss.takes_class_numbers() && one_hot)
    return "targets with one column for each class belong to categorical_crossentropy";
  if (!loss.takes_class_numbers() && holds_numbers && !is_floating(target.type().dtype))
    return "class numbers belong to sparse_categorical_crossentropy";
  return "give targets of that shape, or another loss";
}

// "(28, 28, 1)", without the batch axis.
std::string sample_text(const Shape& shape) {
  return to_string(Shape(std::vector<int64_t>(shape.begin() + 1, shape.end())));
}

std::string class_numbers_text(const Shape& numbers) {
  return numbers.rank() == 1 ? "it takes one class number a sample"
                             : "it takes class numbers of shape " + sample_text(numbers);
}

Shape without_last(const Shape& shape) {
  return Shape(std::vector<int64_t>(shape.begin(), shape.end() - 1));
}

}  // namespace

void Loss::common_fields(Fields& f) {
  f.ignore("dtype");
  f.ignore("fn");
  name_field(f, name_, class_name());
  auto read = [&](const Json& json) {
    auto found = std::ranges::find_if(
        reductions, [&](const ReductionName& row) { return json == Json(row.name); });
    if (found == std::end(reductions))
      f.refuse("reduction",
               "expected sum_over_batch_size, sum or mean_with_sample_weight, received " +
                   json_text(json));
    reduction_ = found->reduction;
  };
  f.custom("reduction", read, [&] {
    return Json(std::ranges::find(reductions, reduction_, &ReductionName::reduction)->name);
  });
}

Expr reduced_loss(const Loss& loss, Expr values, Expr target, const SampleWeights& weights) {
  Expr total = sum_all(weights.applied_to(values));
  if (loss.reduction() == Reduction::sum) return total;
  if (loss.ignored_class()) {
    SampleWeights counting = weights;
    if (loss.reduction() == Reduction::mean) counting.given = {};
    return divide_or_zero(total, all_reduce(sum_all(counting.applied_to(counted(loss, target)))));
  }
  if (loss.reduction() == Reduction::mean_with_sample_weight && weights.given)
    return divide_or_zero(total, all_reduce(weights.sum()));
  double slice = static_cast<double>(std::max<int64_t>(values.shape()[0], 1));
  return total / (weights.samples * (static_cast<double>(values.shape().elements()) / slice));
}

const ObjectTable<Loss>& losses() {
  static const ObjectTable<Loss> table{
      "loss",
      "keras.losses",
      {
          {"BinaryCrossentropy", {"bce", "BCE"}, make_object<Loss, BinaryCrossentropy>},
          {"CategoricalCrossentropy", {"cce"}, make_object<Loss, CategoricalCrossentropy>},
          {"SparseCategoricalCrossentropy", {}, make_object<Loss, SparseCategoricalCrossentropy>},
          {"MeanSquaredError", {"mse", "MSE"}, make_object<Loss, MeanSquaredError>},
          {"MeanAbsoluteError", {"mae", "MAE"}, make_object<Loss, MeanAbsoluteError>},
      }};
  return table;
}

LossPointer loss_by_name(const Json& form, const std::string& place) {
  return read_object(losses(), form, place);
}

Expr fitted_target(const Loss& loss, Expr target, Expr prediction, const std::string& place) {
  const Shape& wanted = prediction.shape();
  int64_t classes = wanted.rank() > 0 ? wanted[wanted.rank() - 1] : 1;
  Shape numbers = without_last(wanted);
  bool holds_numbers = target.shape() == numbers || equal_but_last_one(target.shape(), numbers);
  if (loss.takes_class_numbers()) {
    if (holds_numbers) return convert(reshape(target, numbers), DType::int32);
  } else if (loss.takes_one_hot() && holds_numbers && classes > 1) {
    return one_hot(convert(reshape(target, numbers), DType::int32), classes, DType::float32);
  } else if (target.shape() == wanted || equal_but_last_one(wanted, target.shape()) ||
             equal_but_last_one(target.shape(), wanted)) {
    return convert(reshape(target, wanted), DType::float32);
  }
  throw Error(
      "H205",
      {.message = fmt::format("a target of shape {} does not fit {} of an output of shape {}",
                              sample_text(target.shape()), loss.class_name(), sample_text(wanted)),
       .place = place,
       .notes = {loss.takes_class_numbers()
                     ? class_numbers_text(numbers)
                     : fmt::format("it takes targets of shape {}", sample_text(wanted))},
       .help = help_for(loss, target, holds_numbers, target.shape() == wanted)});
}

}  // namespace hornbeam
