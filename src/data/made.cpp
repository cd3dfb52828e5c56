#include "data/made.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace hornbeam {
namespace {

constexpr int64_t side = 32;
constexpr int64_t channels = 3;
constexpr double turn = 2 * std::numbers::pi;

// What the pictures of a class have in common.
struct Waves {
  double across, down;  // waves per pixel
  std::array<double, channels> colour;
};

Waves waves_of(int64_t label, int64_t classes) {
  double share = static_cast<double>(label) / static_cast<double>(classes);
  double waves_per_pixel = (2.0 + static_cast<double>(label % 3)) / side;
  double angle = turn / 2 * share;
  Waves waves{waves_per_pixel * std::cos(angle), waves_per_pixel * std::sin(angle), {}};
  for (int64_t channel = 0; channel < channels; ++channel)
    waves.colour[channel] =
        0.6 + 0.4 * std::cos(turn * (share + static_cast<double>(channel) / channels));
  return waves;
}

void paint(uint8_t* picture, const Waves& waves, Random random) {
  double phase = random.uniform();
  double brightness = 90 + 75 * random.uniform();
  double contrast = 30 + 40 * random.uniform();
  for (int64_t row = 0; row < side; ++row)
    for (int64_t column = 0; column < side; ++column) {
      double position = waves.across * static_cast<double>(column) +
                        waves.down * static_cast<double>(row) + phase;
      double wave = std::sin(turn * position);
      for (double colour : waves.colour) {
        double noise = 60 * (random.uniform() - 0.5);
        double value = brightness + contrast * wave * colour + noise;
        *picture++ = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
}

}  // namespace

Dataset made_images(int64_t samples, int64_t classes, uint64_t seed) {
  if (samples < 1 || classes < 1 || classes > 100)
    throw Error("H302", {.message = fmt::format("cannot make {} pictures of {} classes; at least 1 "
                                                "picture and 1 to 100 classes can be made",
                                                samples, classes)});
  Tensor x(DType::uint8, {samples, side, side, channels});
  Tensor y(DType::uint8, {samples, 1});
  for (int64_t i = 0; i < samples; ++i) {
    int64_t label = i % classes;
    y.values<uint8_t>()[i] = static_cast<uint8_t>(label);
    paint(x.values<uint8_t>().data() + i * side * side * channels, waves_of(label, classes),
          Random(fold_in(seed, static_cast<uint64_t>(i))));
  }
  Dataset data{.name = "made data"};
  data.inputs.push_back({"", std::move(x)});
  data.targets.push_back({"", std::move(y)});
  return data;
}

}  // namespace hornbeam
