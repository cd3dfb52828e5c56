// CIFAR-10 and CIFAR-100 in their original binary form. A record of CIFAR-10 is a label and 3072
// bytes of picture; one of CIFAR-100 has a coarse and a fine label (the fine one is taken). A
// picture is three planes, red, green and blue, of 32 rows of 32 pixels.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "data/reader_list.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr int64_t side = 32;
constexpr int64_t pixels = side * side;
constexpr int64_t channels = 3;

struct Layout {
  std::string_view name;
  int64_t labels;          // in front of each picture; the last one is taken
  int64_t most_labels[2];  // each label lies below
  std::string_view names_file;

  int64_t record_bytes() const { return labels + channels * pixels; }
};

constexpr Layout layouts[] = {
    {"CIFAR-10", 1, {10, 0}, "batches.meta.txt"},
    {"CIFAR-100", 2, {20, 100}, "fine_label_names.txt"},
};

bool belongs_to(const fs::path& file, Part part) {
  std::string name = file.filename().string();
  if (!name.ends_with(".bin")) return false;
  if (part == Part::test) return name.starts_with("test");
  return name.starts_with("data_batch") || name.starts_with("train");
}

bool has_whole_records(const fs::path& file) {
  std::error_code failure;
  uintmax_t size = fs::file_size(file, failure);
  if (failure || file.extension() != ".bin") return false;
  return std::any_of(std::begin(layouts), std::end(layouts),
                     [&](const Layout& l) { return size % l.record_bytes() == 0; });
}

bool recognises(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return has_whole_records(path);
  std::vector<fs::path> files = files_in(path);
  return std::any_of(files.begin(), files.end(), [](const fs::path& file) {
    return belongs_to(file, Part::train) || belongs_to(file, Part::test);
  });
}

std::vector<fs::path> files_of(const DataRequest& request) {
  std::error_code failure;
  if (!fs::is_directory(request.path, failure)) {
    if (request.part == Part::test) no_such_part(request, "a single file is the whole data set");
    return {request.path};
  }
  std::vector<fs::path> files = files_in(request.path);
  std::erase_if(files, [&](const fs::path& file) { return !belongs_to(file, request.part); });
  if (files.empty())
    no_such_part(request, request.part == Part::test ? "looked for test*.bin"
                                                     : "looked for data_batch*.bin and train*.bin");
  return files;
}

// The first record with a label that the layout does not allow, or -1.
int64_t first_bad_record(std::span<const std::byte> content, const Layout& layout) {
  int64_t records = std::ssize(content) / layout.record_bytes();
  for (int64_t record = 0; record < records; ++record)
    for (int64_t label = 0; label < layout.labels; ++label)
      if (static_cast<int64_t>(content[record * layout.record_bytes() + label]) >=
          layout.most_labels[label])
        return record;
  return -1;
}

// The layout whose records fill the file and whose labels are all in range.
const Layout& layout_of(std::span<const std::byte> content, const fs::path& file) {
  std::vector<std::string> reasons;
  for (const Layout& layout : layouts) {
    int64_t bad = first_bad_record(content, layout);
    if (std::ssize(content) % layout.record_bytes() != 0)
      reasons.push_back(
          fmt::format("{} records have {} bytes", layout.name, layout.record_bytes()));
    else if (bad >= 0)
      reasons.push_back(fmt::format("record {} has a label outside {}", bad, layout.name));
    else
      return layout;
  }
  damaged(file, fmt::format("{} bytes are no whole number of CIFAR records: {}", content.size(),
                            join(reasons, ", ")));
}

struct File {
  fs::path path;
  std::vector<std::byte> content;
};

// Planes red, green, blue → one pixel after another.
void interleave(const std::byte* planes, uint8_t* picture) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    for (int64_t channel = 0; channel < channels; ++channel)
      picture[pixel * channels + channel] = static_cast<uint8_t>(planes[channel * pixels + pixel]);
}

Dataset unpack(const std::vector<File>& files, const Layout& layout) {
  int64_t samples = 0;
  for (const File& file : files) samples += std::ssize(file.content) / layout.record_bytes();
  Tensor x(DType::uint8, {samples, side, side, channels});
  Tensor y(DType::uint8, {samples, 1});
  uint8_t* picture = x.values<uint8_t>().data();
  uint8_t* label = y.values<uint8_t>().data();
  for (const File& file : files)
    for (int64_t at = 0; at < std::ssize(file.content); at += layout.record_bytes()) {
      const std::byte* record = file.content.data() + at;
      *label++ = static_cast<uint8_t>(record[layout.labels - 1]);
      interleave(record + layout.labels, picture);
      picture += pixels * channels;
    }
  Dataset data;
  data.inputs.push_back({"", std::move(x)});
  data.targets.push_back({"", std::move(y)});
  return data;
}

std::vector<std::string> class_names(const fs::path& folder, const Layout& layout) {
  fs::path file = folder / layout.names_file;
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return {};
  std::vector<std::string> names;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

Dataset read(const DataRequest& request) {
  std::vector<File> files;
  const Layout* layout = nullptr;
  for (const fs::path& path : files_of(request)) {
    files.push_back({path, read_data_file(path)});
    const Layout& found = layout_of(files.back().content, path);
    if (layout != nullptr && layout != &found)
      damaged(path, fmt::format("this file holds {}, but '{}' holds {}", found.name,
                                files.front().path.filename().string(), layout->name));
    layout = &found;
  }
  Dataset data = unpack(files, *layout);
  data.class_names = class_names(files.front().path.parent_path(), *layout);
  data.name = name_with_part(request);
  return data;
}

}  // namespace

const Reader cifar_reader{"CIFAR-10/100 binary files (data_batch*.bin, train*.bin, test*.bin)",
                          recognises, read};

}  // namespace hornbeam
