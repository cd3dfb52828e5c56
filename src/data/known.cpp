#include "data/known.h"

#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "data/tar.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view archive_ending = ".tar.gz";

bool recognised(const fs::path& path) {
  std::span<const Reader* const> readers = all_readers();
  return std::any_of(readers.begin(), readers.end(),
                     [&](const Reader* reader) { return reader->recognises(path); });
}

std::vector<fs::path> roots_of(const DataPlaces& places) {
  std::vector<fs::path> roots = places.folders;
  roots.push_back(places.cache);
  return roots;
}

bool has_all_files(const KnownDataset& known, const fs::path& folder) {
  return std::all_of(known.files.begin(), known.files.end(), [&](const PublishedFile& file) {
    std::error_code failure;
    return fs::is_regular_file(folder / file.name, failure);
  });
}

// Whole or not at all: unpacks beside and renames.
fs::path unpacked(const KnownDataset& known, const fs::path& archive, const fs::path& cache) {
  fs::path target = cache / known.folders[0];
  fs::path aside = target;
  aside += ".unpacking-" + std::to_string(::getpid());
  make_folder(aside);
  std::error_code failure;
  try {
    unpack_tar(archive, aside);
    fs::rename(aside / known.folders[0], target, failure);
  } catch (...) {
    fs::remove_all(aside);
    throw;
  }
  fs::remove_all(aside);
  if (failure && !recognised(target))  // another process may have been faster
    throw Error("H202",
                {.message = "the archive holds no folder '" + std::string(known.folders[0]) + "'",
                 .place = archive.string()});
  return target;
}

// What a reader takes, from published files that are all in `folder`.
fs::path from_files(const KnownDataset& known, const fs::path& folder, const fs::path& cache) {
  for (const PublishedFile& file : known.files) check_published(file, folder / file.name);
  if (known.files.size() > 1) return folder;
  fs::path single = folder / known.files[0].name;
  return single.string().ends_with(archive_ending) ? unpacked(known, single, cache) : single;
}

void download_missing(const KnownDataset& known, const DataPlaces& places) {
  std::string_view origin = places.mirror.empty() ? known.origin : places.mirror;
  for (const PublishedFile& file : known.files) {
    fs::path target = places.cache / known.subfolder / file.name;
    if (!fs::exists(target))
      download(file, std::string(origin) + std::string(file.name), target, places.progress);
  }
}

[[noreturn]] void unknown_name(const std::string& name) {
  std::vector<std::string_view> names;
  for (const KnownDataset& known : known_datasets()) names.push_back(known.name);
  throw Error("H201",
              {.message = "there is no file or folder '" + name +
                          "', and no data set of this name is known",
               .place = name,
               .notes = {"known names: " +
                         join(std::vector<std::string>(names.begin(), names.end()), ", ")},
               .help = did_you_mean(name, names, "give PATH or PATH:PART; PART is train or test")});
}

}  // namespace

std::span<const KnownDataset> known_datasets() {
  static const std::string_view toronto = "https://www.cs.toronto.edu/~kriz/";
  static const std::string_view keras =
      "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";
  static const KnownDataset table[] = {
      {"cifar10",
       toronto,
       "",
       {{"cifar-10-binary.tar.gz", 170052171,
         "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}},
       {"cifar-10-batches-bin", "cifar10"}},
      {"cifar100",
       toronto,
       "",
       {{"cifar-100-binary.tar.gz", 168513733,
         "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}},
       {"cifar-100-binary", "cifar100"}},
      {"mnist",
       keras,
       "",
       {{"mnist.npz", 11490434,
         "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"}},
       {"mnist"}},
      {"fashion_mnist",
       keras,
       "fashion-mnist",
       // From torchvision; other projects pin them beside the MD5 sums of the authors.
       {{"train-images-idx3-ubyte.gz", 26421880,
         "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
        {"train-labels-idx1-ubyte.gz", 29515,
         "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
        {"t10k-images-idx3-ubyte.gz", 0,
         "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
        {"t10k-labels-idx1-ubyte.gz", 5148,
         "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}},
       {"fashion_mnist"}},
  };
  return table;
}

fs::path locate(const KnownDataset& known, const DataPlaces& places) {
  for (const fs::path& root : roots_of(places)) {
    for (std::string_view folder : known.folders)
      if (recognised(root / folder)) return root / folder;
    if (has_all_files(known, root / known.subfolder))
      return from_files(known, root / known.subfolder, places.cache);
  }
  download_missing(known, places);
  return from_files(known, places.cache / known.subfolder, places.cache);
}

Dataset load_dataset(const DataRequest& request, const DataPlaces& places) {
  std::error_code failure;
  if (fs::exists(request.path, failure)) return read_dataset(request);
  std::span<const KnownDataset> table = known_datasets();
  auto known = std::find_if(table.begin(), table.end(), [&](const KnownDataset& entry) {
    return entry.name == request.path.string();
  });
  if (known == table.end()) unknown_name(request.path.string());
  DataRequest located = request;
  located.path = locate(*known, places);
  Dataset data = read_dataset(located);
  data.name = std::string(known->name) + ":" + std::string(name_of(request.part));
  return data;
}

}  // namespace hornbeam
