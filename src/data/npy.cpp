// A .npy array of inputs; the targets, when there are any, lie in another one.
#include "formats/npy.h"

#include "data/reader_list.h"

namespace hornbeam {
namespace {

Tensor read_array(const std::filesystem::path& path) {
  return parse_npy(read_data_file(path), path.string());
}

Dataset read_single(const DataRequest& request) {
  if (request.part == Part::test) no_such_part(request, "a .npy file is the whole data set");
  Dataset data{.name = request.path.string()};
  data.inputs.push_back({"", read_array(request.path)});
  if (!request.targets.empty()) data.targets.push_back({"", read_array(request.targets)});
  return data;
}

bool is_array(const std::filesystem::path& path) { return begins_with(path, "\x93NUMPY"); }

}  // namespace

const Reader npy_reader{".npy (--targets beside it)", is_array, read_single};

}  // namespace hornbeam
