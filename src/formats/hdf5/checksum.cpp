#include "formats/hdf5/checksum.h"

#include <bit>

namespace hornbeam::hdf5 {
namespace {

struct State {
  uint32_t a, b, c;

  // Adds twelve bytes; those that `data` lacks count as zero.
  void add(std::span<const std::byte> data) {
    uint32_t words[3] = {};
    for (size_t i = 0; i < data.size(); ++i)
      words[i / 4] |= static_cast<uint32_t>(data[i]) << (8 * (i % 4));
    a += words[0];
    b += words[1];
    c += words[2];
  }

  void mix() {
    const int turns[] = {4, 6, 8, 16, 19, 4};
    for (int turn : turns) {
      a = (a - c) ^ std::rotl(c, turn);
      c += b;
      *this = {b, c, a};
    }
  }

  void finish() {
    const int turns[] = {14, 11, 25, 16, 4, 14, 24};
    for (int turn : turns) {
      c = (c ^ b) - std::rotl(b, turn);
      *this = {b, c, a};
    }
    *this = {c, a, b};  // after seven turns `c`, the result, stands one place further
  }
};

}  // namespace

uint32_t lookup3(std::span<const std::byte> data) {
  uint32_t start = 0xdeadbeef + static_cast<uint32_t>(data.size());
  State state{start, start, start};
  if (data.empty()) return state.c;
  for (; data.size() > 12; data = data.subspan(12)) {
    state.add(data.first(12));
    state.mix();
  }
  state.add(data);
  state.finish();
  return state.c;
}

uint32_t fletcher32(std::span<const std::byte> data) {
  uint64_t first = 0, second = 0;  // sums modulo 65535, where 65535 stands for itself
  auto folded = [](uint64_t sum) { return (sum & 0xffff) + (sum >> 16); };
  for (size_t i = 0; i < data.size(); i += 2) {
    uint64_t word = static_cast<uint64_t>(data[i]) << 8;
    if (i + 1 < data.size()) word |= static_cast<uint64_t>(data[i + 1]);
    first = folded(first + word);
    second = folded(second + first);
  }
  return static_cast<uint32_t>(folded(second) << 16 | folded(first));
}

}  // namespace hornbeam::hdf5
