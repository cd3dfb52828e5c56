// NumPy's .npz archives. The arrays named like the model's inputs and outputs are taken, else x and
// y, each with the part behind its name (x_train, x_test) or, for the train part, alone (x).
#include "formats/npz.h"

#include <algorithm>

#include "base/text.h"
#include "data/reader_list.h"

namespace hornbeam {
namespace {

using Names = std::vector<std::string>;

class Arrays {
 public:
  explicit Arrays(const DataRequest& request) : reader_(request.path), part_(request.part) {}

  bool has(const std::string& name) const { return !key(name).empty(); }
  Tensor read(const std::string& name) const { return reader_.read(key(name)); }
  const Names& names() const { return reader_.names(); }

  // One array for each of the model's names, or, when one is missing, the array called `usual`,
  // which then goes to the model by its position.
  std::vector<NamedTensor> read_all(const Names& of_model, const std::string& usual) const {
    bool named = std::all_of(of_model.begin(), of_model.end(),
                             [&](const std::string& name) { return has(name); });
    if (named && !of_model.empty()) return read_named(of_model);
    if (has(usual)) return std::vector<NamedTensor>{{"", read(usual)}};
    return {};
  }

  // Those of the names that there are.
  std::vector<NamedTensor> read_named(const Names& of_model) const {
    std::vector<NamedTensor> result;
    for (const std::string& name : of_model)
      if (has(name)) result.push_back({name, read(name)});
    return result;
  }

 private:
  // The name in the archive; empty when there is none.
  std::string key(const std::string& name) const {
    std::string with_part = name + "_" + std::string(name_of(part_));
    if (reader_.contains(with_part)) return with_part;
    return part_ == Part::train && reader_.contains(name) ? name : "";
  }

  NpzReader reader_;
  Part part_;
};

Tensor sample_weight(const Tensor& stored) {
  Tensor weight = stored.converted(DType::float32);
  if (weight.shape().rank() == 2 && weight.shape()[1] == 1)
    return weight.reshaped(Shape{weight.shape()[0]});
  if (weight.shape().rank() != 1)
    throw Error("H205", {.message = "sample_weight has the shape " + to_string(weight.shape()) +
                                    ", expected one number a sample"});
  return weight;
}

[[noreturn]] void no_inputs(const DataRequest& request, const Names& names) {
  std::string wanted = request.input_names.empty() ? "x"
                                                   : "x, or the names of the model's inputs: " +
                                                         join(request.input_names, ", ");
  throw Error("H201", {.message = "the archive has no inputs for the part '" +
                                  std::string(name_of(request.part)) + "'",
                       .place = request.path.string(),
                       .notes = {"it holds: " + join(names, ", "),
                                 "looked for " + wanted + "; '_train' or '_test' may follow"}});
}

Dataset read_archive(const DataRequest& request) {
  Arrays arrays(request);
  Dataset data{.name = name_with_part(request)};
  data.inputs = arrays.read_all(request.input_names, "x");
  data.targets = arrays.read_all(request.output_names, "y");
  // An output without a loss needs none.
  if (data.targets.empty()) data.targets = arrays.read_named(request.output_names);
  if (data.inputs.empty()) no_inputs(request, arrays.names());
  try {
    if (arrays.has("sample_weight"))
      data.sample_weight = sample_weight(arrays.read("sample_weight"));
  } catch (const Error& error) {
    throw error.at(request.path.string());
  }
  return data;
}

bool is_archive(const std::filesystem::path& path) {
  return begins_with(path, "PK\x03\x04") || begins_with(path, "PK\x05\x06");
}

}  // namespace

const Reader npz_reader{".npz (x, y, sample_weight; x_train, …; or the model's names)", is_archive,
                        read_archive};

}  // namespace hornbeam
