// Data sets that are known by name: cifar10, cifar100, mnist, fashion_mnist. They are looked for in
// the user's folders and the cache, else downloaded into the cache.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/download.h"
#include "data/readers.h"

namespace hornbeam {

struct KnownDataset {
  std::string_view name;
  std::string_view origin;                // URL in front of the names of the files
  std::string_view subfolder;             // of the cache, for the files; may be empty
  std::vector<PublishedFile> files;       // one .tar.gz, one .npz, or the files of a folder
  std::vector<std::string_view> folders;  // taken as they are when a reader recognises them;
                                          // the first is what a .tar.gz unpacks to
};
std::span<const KnownDataset> known_datasets();

struct DataPlaces {
  std::vector<std::filesystem::path> folders;  // of the user; only read
  std::filesystem::path cache;                 // downloads and unpacked archives
  std::string mirror;                          // URL in front of the files' names in place of the
                                               // origin; may be empty
  DownloadProgress progress;                   // may be empty
};

// A folder or file that a reader takes. Published files found are checked against their checksums
// (H202); what is missing is downloaded (H210).
std::filesystem::path locate(const KnownDataset& known, const DataPlaces& places);

// An existing path, else a known name. Throws what locate and read_dataset throw; H201 names the
// nearest known name.
Dataset load_dataset(const DataRequest& request, const DataPlaces& places);

}  // namespace hornbeam
