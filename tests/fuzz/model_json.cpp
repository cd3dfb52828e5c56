#include "keras/load.h"
#include "read_or_refuse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hornbeam;
  return read_or_refuse([&] { load_model(bytes_of(data, size), "fuzz.json"); });
}
