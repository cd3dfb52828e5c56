#include "data/readers.h"

#include <array>

#include "base/text.h"
#include "data/reader_list.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const Reader*, 4> readers{&cifar_reader, &idx_reader, &npz_reader,
                                               &npy_reader};

constexpr std::array parts{Part::train, Part::test};

[[noreturn]] void not_recognised(const fs::path& path) {
  std::vector<std::string> names;
  for (const Reader* reader : readers) names.emplace_back(reader->name);
  throw Error("H201", {.message = "'" + path.string() + "' holds no data of a known kind",
                       .place = path.string(),
                       .notes = {"known kinds: " + join(names, "; ")},
                       .help = "give a folder or file of one of these kinds"});
}

const Reader& reader_for(const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure))
    throw Error("H201", {.message = "there is no file or folder '" + path.string() + "'",
                         .place = path.string(),
                         .help = "give an existing PATH or PATH:PART; PART is train or test"});
  for (const Reader* reader : readers)
    if (reader->recognises(path)) return *reader;
  not_recognised(path);
}

}  // namespace

std::string_view name_of(Part part) { return part == Part::train ? "train" : "test"; }

DataRequest parse_data_request(std::string_view text) {
  std::error_code failure;
  if (fs::exists(text, failure)) return {.path = text};
  for (Part part : parts)
    if (std::string ending = ":" + std::string(name_of(part)); text.ends_with(ending))
      return {.path = text.substr(0, text.size() - ending.size()), .part = part};
  return {.path = text};
}

std::span<const Reader* const> all_readers() { return readers; }

Dataset read_dataset(const DataRequest& request) {
  const Reader& reader = reader_for(request.path);
  if (!request.targets.empty() && &reader != &npy_reader)
    throw Error("H304",
                {.message = "--targets belongs to .npy files, but '" + request.path.string() +
                            "' is read as " + std::string(reader.name),
                 .place = request.targets.string()});
  Dataset data = reader.read(request);
  check_dataset(data);
  return data;
}

}  // namespace hornbeam
