// What all programs of this folder do: read foreign bytes; a refusal is a fault of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.h"

namespace hornbeam {

inline std::vector<std::byte> bytes_of(const uint8_t* data, size_t size) {
  auto bytes = std::as_bytes(std::span(data, size));
  return {bytes.begin(), bytes.end()};
}

// Anything but an error about the input ends the program, so that libFuzzer reports it.
template <class Read>
int read_or_refuse(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.code().exit != Exit::input) std::abort();
  }
  return 0;
}

}  // namespace hornbeam
