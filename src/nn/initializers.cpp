#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/initializer.h"

namespace hornbeam {
namespace {

template <class Draw>
Tensor filled(const Shape& shape, Draw draw) {
  Tensor tensor(DType::float32, shape);
  for (float& value : tensor.values<float>()) value = static_cast<float>(draw());
  return tensor;
}

// Normal numbers within two standard deviations of the mean; others are drawn again.
double truncated_normal(Random& random) {
  double value = random.normal();
  while (std::abs(value) > 2) value = random.normal();
  return value;
}

class Constant : public Initializer {
 public:
  explicit Constant(std::string_view name = "Constant", double value = 0)
      : name_(name), value_(value) {}
  std::string_view class_name() const override { return name_; }
  void fields(Fields& f) override {
    if (name_ == "Constant") f("value", value_);
    f.ignore("dtype");
  }
  Tensor draw(const Shape& shape, Random&) const override {
    return filled(shape, [&] { return value_; });
  }

 private:
  std::string_view name_;
  double value_;
};

// What the random initializers share: a seed of their own, which the seed of the run stands in for.
class RandomInitializer : public Initializer {
 public:
  void fields(Fields& f) override {
    f.ignore("dtype");
    f.kept("seed", seed_);
  }

 private:
  Json seed_;
};

class RandomUniform : public RandomInitializer {
 public:
  std::string_view class_name() const override { return "RandomUniform"; }
  void fields(Fields& f) override {
    f("minval", low_);
    f("maxval", high_);
    RandomInitializer::fields(f);
  }
  Tensor draw(const Shape& shape, Random& random) const override {
    return filled(shape, [&] { return low_ + (high_ - low_) * random.uniform(); });
  }

 private:
  double low_ = -0.05, high_ = 0.05;
};

class RandomNormal : public RandomInitializer {
 public:
  explicit RandomNormal(bool truncated = false) : truncated_(truncated) {}
  std::string_view class_name() const override {
    return truncated_ ? "TruncatedNormal" : "RandomNormal";
  }
  void fields(Fields& f) override {
    f("mean", mean_);
    f("stddev", stddev_);
    RandomInitializer::fields(f);
  }
  Tensor draw(const Shape& shape, Random& random) const override {
    return filled(shape, [&] {
      return mean_ + stddev_ * (truncated_ ? truncated_normal(random) : random.normal());
    });
  }

 private:
  bool truncated_;
  double mean_ = 0, stddev_ = 0.05;
};

// VarianceScaling, and the presets of it that have names of their own.
class VarianceScaling : public RandomInitializer {
 public:
  explicit VarianceScaling(std::string_view name = "VarianceScaling", double scale = 1,
                           std::string mode = "fan_in",
                           std::string distribution = "truncated_normal")
      : name_(name),
        scale_(scale),
        mode_(std::move(mode)),
        distribution_(std::move(distribution)) {}
  std::string_view class_name() const override { return name_; }

  void fields(Fields& f) override {
    if (name_ == "VarianceScaling") {
      f("scale", scale_);
      f("mode", mode_);
      f("distribution", distribution_);
      if (distribution_ == "normal") distribution_ = "truncated_normal";
      require_known(f);
    }
    f.neutral("input_axes", {nullptr});
    f.neutral("output_axes", {nullptr});
    RandomInitializer::fields(f);
  }

  Tensor draw(const Shape& shape, Random& random) const override {
    double variance = scale_ / divisor(fans_of(shape));
    // Cutting a normal distribution at two standard deviations narrows it by this factor.
    constexpr double truncation = 0.87962566103423978;
    double deviation = std::sqrt(variance), limit = std::sqrt(3 * variance);
    return filled(shape, [&] {
      if (distribution_ == "uniform") return limit * (2 * random.uniform() - 1);
      if (distribution_ == "untruncated_normal") return deviation * random.normal();
      return deviation / truncation * truncated_normal(random);
    });
  }

 private:
  void require_known(Fields& f) const {
    if (!(scale_ > 0)) f.refuse("scale", fmt::format("expected more than 0, received {}", scale_));
    if (mode_ != "fan_in" && mode_ != "fan_out" && mode_ != "fan_avg")
      f.refuse("mode", "expected fan_in, fan_out or fan_avg, received " + mode_);
    if (distribution_ != "uniform" && distribution_ != "untruncated_normal" &&
        distribution_ != "truncated_normal")
      f.refuse(
          "distribution",
          "expected uniform, truncated_normal or untruncated_normal, received " + distribution_);
  }

  double divisor(Fans fans) const {
    double n = mode_ == "fan_in"    ? fans.in
               : mode_ == "fan_out" ? fans.out
                                    : (fans.in + fans.out) / 2;
    return std::max(1.0, n);
  }

  std::string_view name_;
  double scale_;
  std::string mode_, distribution_;
};

class Identity : public Initializer {
 public:
  std::string_view class_name() const override { return "Identity"; }
  void fields(Fields& f) override {
    f("gain", gain_);
    f.ignore("dtype");
  }
  Tensor draw(const Shape& shape, Random&) const override {
    if (shape.rank() != 2)
      throw Error("H111", {.message = "Identity makes matrices only, not " + to_string(shape)});
    Tensor tensor(DType::float32, shape);
    for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i)
      tensor.values<float>()[static_cast<size_t>(i * shape[1] + i)] = static_cast<float>(gain_);
    return tensor;
  }

 private:
  double gain_ = 1;
};

// Rows or columns (whichever are fewer) of random directions made orthonormal by Gram and Schmidt,
// twice for accuracy.
class Orthogonal : public RandomInitializer {
 public:
  std::string_view class_name() const override { return "Orthogonal"; }
  void fields(Fields& f) override {
    f("gain", gain_);
    RandomInitializer::fields(f);
  }
  Tensor draw(const Shape& shape, Random& random) const override {
    if (shape.rank() < 2)
      throw Error("H111",
                  {.message = "Orthogonal needs two axes or more, not " + to_string(shape)});
    int64_t columns = shape[shape.rank() - 1], rows = columns == 0 ? 0 : shape.elements() / columns;
    size_t count = static_cast<size_t>(std::min(rows, columns));
    std::vector<std::vector<double>> basis(
        count, std::vector<double>(static_cast<size_t>(std::max(rows, columns))));
    for (size_t i = 0; i < count; ++i) draw_direction(basis, i, random);
    Tensor tensor(DType::float32, shape);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        double value = rows >= columns ? basis[static_cast<size_t>(c)][static_cast<size_t>(r)]
                                       : basis[static_cast<size_t>(r)][static_cast<size_t>(c)];
        tensor.values<float>()[static_cast<size_t>(r * columns + c)] =
            static_cast<float>(gain_ * value);
      }
    return tensor;
  }

 private:
  static void draw_direction(std::vector<std::vector<double>>& basis, size_t number,
                             Random& random) {
    std::vector<double>& vector = basis[number];
    for (double& value : vector) value = random.normal();
    for (int pass = 0; pass < 2; ++pass)
      for (size_t i = 0; i < number; ++i) {
        double along = dot(vector, basis[i]);
        for (size_t j = 0; j < vector.size(); ++j) vector[j] -= along * basis[i][j];
      }
    double length = std::sqrt(dot(vector, vector));
    for (double& value : vector) value /= length;
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  double gain_ = 1;
};

template <class T, auto... arguments>
std::unique_ptr<Initializer> make() {
  return std::make_unique<T>(arguments...);
}

struct Preset {
  const char* name;
  double scale;
  const char* mode;
  const char* distribution;
};
constexpr Preset presets[] = {
    {"GlorotUniform", 1, "fan_avg", "uniform"}, {"GlorotNormal", 1, "fan_avg", "truncated_normal"},
    {"HeUniform", 2, "fan_in", "uniform"},      {"HeNormal", 2, "fan_in", "truncated_normal"},
    {"LecunUniform", 1, "fan_in", "uniform"},   {"LecunNormal", 1, "fan_in", "truncated_normal"},
};

template <size_t number>
std::unique_ptr<Initializer> make_preset() {
  constexpr Preset p = presets[number];
  return std::make_unique<VarianceScaling>(p.name, p.scale, p.mode, p.distribution);
}

}  // namespace

const ObjectTable<Initializer>& initializers() {
  static const ObjectTable<Initializer> table{
      "initializer",
      "keras.initializers",
      {
          {"Zeros",
           {"zero"},
           [] { return std::unique_ptr<Initializer>(new Constant("Zeros", 0)); }},
          {"Ones", {"one"}, [] { return std::unique_ptr<Initializer>(new Constant("Ones", 1)); }},
          {"Constant", {}, make<Constant>},
          {"RandomUniform", {"uniform"}, make<RandomUniform>},
          {"RandomNormal", {"normal"}, make<RandomNormal>},
          {"TruncatedNormal", {}, make<RandomNormal, true>},
          {"VarianceScaling", {}, make<VarianceScaling>},
          {"GlorotUniform", {}, make_preset<0>},
          {"GlorotNormal", {}, make_preset<1>},
          {"HeUniform", {}, make_preset<2>},
          {"HeNormal", {}, make_preset<3>},
          {"LecunUniform", {}, make_preset<4>},
          {"LecunNormal", {}, make_preset<5>},
          {"Orthogonal", {"OrthogonalInitializer"}, make<Orthogonal>},
          {"Identity", {"IdentityInitializer"}, make<Identity>},
      }};
  return table;
}

InitializerPointer initializer(std::string_view name) {
  return make_by_name(initializers(), name, "");
}

Fans fans_of(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double receptive = 1;
  for (int64_t axis = 0; axis + 2 < shape.rank(); ++axis)
    receptive *= static_cast<double>(shape[axis]);
  return {receptive * static_cast<double>(shape[shape.rank() - 2]),
          receptive * static_cast<double>(shape[shape.rank() - 1])};
}

}  // namespace hornbeam
