#include "formats/npy.h"

#include "read_or_refuse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hornbeam;
  return read_or_refuse([&] { parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy"); });
}
