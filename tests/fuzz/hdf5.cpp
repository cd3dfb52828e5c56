#include "formats/hdf5.h"

#include "read_or_refuse.h"

namespace hornbeam {
namespace {

// Groups may be members of themselves, so the walk has an end.
void read_all(const Hdf5Group& group, int depth) {
  for (const std::string& name : group.attribute_names())
    read_or_refuse([&] { group.texts_attribute(name); });
  for (const std::string& name : group.names()) {
    if (group.has_group(name)) {
      if (depth > 0) read_or_refuse([&] { read_all(group.group(name), depth - 1); });
      continue;
    }
    read_or_refuse([&] { group.dataset(name); });
    read_or_refuse([&] { group.texts(name); });
  }
}

}  // namespace
}  // namespace hornbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hornbeam;
  constexpr int deepest = 6;
  return read_or_refuse([&] {
    read_all(Hdf5File::parse(source_owning(bytes_of(data, size)), "fuzz.h5").root(), deepest);
  });
}
