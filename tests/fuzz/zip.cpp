#include "formats/zip.h"

#include "read_or_refuse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hornbeam;
  return read_or_refuse([&] {
    ZipReader archive(bytes_of(data, size));
    for (const std::string& name : archive.names()) archive.read(name);
  });
}
