#include "nn/activations.h"

#include <vector>

#include "nn/object.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

struct Row {
  std::string_view name;
  Expr (*apply)(Expr);
  std::string_view other_name = {};
};

// glu halves the last axis, so it is a gate rather than a function of single numbers.
Expr glu(Expr x) {
  int64_t axis = x.rank() - 1, half = x.shape()[axis] / 2;
  Integers starts(static_cast<size_t>(x.rank()), 0), ones(starts.size(), 1);
  Integers limits = x.shape().extents(), ends = limits;
  limits.back() = half;
  Expr value = slice(x, starts, limits, ones);
  starts.back() = half;
  return value * logistic(slice(x, starts, ends, ones));
}

// legacy_hard_sigmoid is what hard_sigmoid was before Keras 3, for files from then.
const Row rows[] = {
    {"linear", [](Expr x) { return x; }},
    {"relu", [](Expr x) { return relu(x); }},
    {"relu6", [](Expr x) { return relu6(x); }},
    {"leaky_relu", [](Expr x) { return leaky_relu(x); }},
    {"softmax", [](Expr x) { return softmax(x, -1); }},
    {"log_softmax", [](Expr x) { return log_softmax(x, -1); }},
    {"sigmoid", [](Expr x) { return logistic(x); }},
    {"tanh", [](Expr x) { return tanh(x); }},
    {"elu", [](Expr x) { return elu(x); }},
    {"selu", [](Expr x) { return selu(x); }},
    {"celu", [](Expr x) { return celu(x); }},
    {"gelu", [](Expr x) { return gelu(x); }},
    {"silu", [](Expr x) { return silu(x); }, "swish"},
    {"mish", [](Expr x) { return mish(x); }},
    {"softplus", [](Expr x) { return softplus(x); }},
    {"softsign", [](Expr x) { return softsign(x); }},
    {"exponential", [](Expr x) { return exponential(x); }},
    {"hard_sigmoid", [](Expr x) { return hard_sigmoid(x); }},
    {"legacy_hard_sigmoid", [](Expr x) { return minimum(maximum(x * 0.2 + 0.5, 0.0), 1.0); }},
    {"hard_silu", [](Expr x) { return hard_silu(x); }, "hard_swish"},
    {"hard_tanh", [](Expr x) { return hard_tanh(x); }},
    {"hard_shrink", [](Expr x) { return hard_shrink(x); }},
    {"soft_shrink", [](Expr x) { return soft_shrink(x); }},
    {"tanh_shrink", [](Expr x) { return tanh_shrink(x); }},
    {"log_sigmoid", [](Expr x) { return log_sigmoid(x); }},
    {"squareplus", [](Expr x) { return squareplus(x); }},
    {"sparse_plus", [](Expr x) { return sparse_plus(x); }},
    {"sparse_sigmoid", [](Expr x) { return sparse_sigmoid(x); }},
    {"glu", glu},
};

}  // namespace

std::span<const std::string_view> activation_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Row& row : rows) all.push_back(row.name);
    return all;
  }();
  return names;
}

Activation::Activation(std::string_view name, const std::string& place) {
  for (const Row& row : rows) {
    if (row.name != name && (row.other_name.empty() || row.other_name != name)) continue;
    name_ = row.name;
    apply_ = row.apply;
    return;
  }
  refuse_name(name, "activation", place, activation_names());
}

void activation_field(Fields& fields, std::string_view key, Activation& activation) {
  fields.custom(
      key,
      [&](const Json& json) {
        activation = Activation();
        if (json.is_null()) return;
        ObjectForm form = object_form(json, "activation", fields.place());
        if (form.config.is_object() && !form.config.as_object().empty())
          fields.refuse(key, form.name +
                                 " has settings of its own; only the name of an activation "
                                 "is supported here, so use a layer behind this one");
        activation = Activation(form.name, fields.place());
      },
      [&] { return Json(activation.name()); });
}

}  // namespace hornbeam
