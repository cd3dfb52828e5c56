#include "base/rng.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace hornbeam {

uint64_t threefry(uint64_t key, uint64_t counter) {
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t keys[3] = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32), 0};
  keys[2] = 0x1BD11BDA ^ keys[0] ^ keys[1];
  uint32_t x0 = static_cast<uint32_t>(counter) + keys[0];
  uint32_t x1 = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t round = 0; round < 4; ++round) {
      x0 += x1;
      x1 = std::rotl(x1, rotations[(group % 2) * 4 + round]) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return x0 | (uint64_t{x1} << 32);
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::normal() {
  double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

uint64_t Random::below(uint64_t bound) {
  uint64_t reject_from = UINT64_MAX - UINT64_MAX % bound;
  uint64_t draw = bits();
  while (draw >= reject_from) draw = bits();
  return draw % bound;
}

}  // namespace hornbeam
