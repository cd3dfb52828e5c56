// The IDX files of MNIST and its kin: two zero bytes, the element type, the number of axes, each
// extent as a big-endian uint32, then the numbers. Images and labels are separate files, named
// (train|t10k)-images-idx3-ubyte and …-labels-idx1-ubyte, with or without .gz.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "data/gzip.h"
#include "data/reader_list.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr std::byte unsigned_byte{0x08};

bool has_role(const fs::path& file, std::string_view role, Part part) {
  std::string name = file.filename().string();
  auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
  bool in_part = part == Part::train ? has("train") : has("t10k") || has("test");
  return has("idx") && has(role) && in_part;
}

// Empty when there is none. The plain file comes before the compressed one.
fs::path find(const fs::path& folder, std::string_view role, Part part) {
  for (const fs::path& file : files_in(folder))
    if (has_role(file, role, part)) return file;
  return {};
}

bool recognises(const fs::path& path) {
  return !find(path, "images", Part::train).empty() || !find(path, "images", Part::test).empty();
}

size_t big_endian(const std::byte* bytes) {
  size_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<size_t>(bytes[i]);
  return value;
}

Shape read_shape(GzipReader& reader, size_t axes, const fs::path& file) {
  std::vector<std::byte> header(axes * 4);
  if (reader.read(header) < header.size()) damaged(file, "the file ends inside its header");
  std::vector<int64_t> extents;
  int64_t elements = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    extents.push_back(static_cast<int64_t>(big_endian(&header[axis * 4])));
    if (__builtin_mul_overflow(elements, std::max<int64_t>(extents.back(), 1), &elements) ||
        elements > int64_t{1} << 48)
      damaged(file, "its shape is absurdly large");
  }
  return Shape(std::move(extents));
}

[[noreturn]] void wrong_size(const Shape& shape, const std::string& found, const fs::path& file) {
  damaged(file, fmt::format("its shape {} needs {} bytes, {} are there", to_string(shape),
                            shape.elements(), found));
}

Tensor read_numbers(GzipReader& reader, Shape shape, const fs::path& file) {
  if (static_cast<uint64_t>(shape.elements()) > reader.most_bytes())
    wrong_size(shape, fmt::format("at most {}", reader.most_bytes()), file);
  Tensor tensor(DType::uint8, std::move(shape));
  size_t found = reader.read({tensor.data(), tensor.bytes()});
  std::byte beyond{};
  if (found < tensor.bytes()) wrong_size(tensor.shape(), fmt::to_string(found), file);
  if (reader.read({&beyond, 1}) > 0) wrong_size(tensor.shape(), "more", file);
  return tensor;
}

Tensor read_idx(const fs::path& file, size_t axes) {
  GzipReader reader(file);
  std::array<std::byte, 4> magic{};
  if (reader.read(magic) < 4 || magic[0] != std::byte{0} || magic[1] != std::byte{0})
    damaged(file, "an IDX file begins with two zero bytes, a type and a number of axes");
  if (magic[2] != unsigned_byte)
    throw Error("H208", {.message = fmt::format("the IDX element type 0x{:02x} is not supported; "
                                                "unsigned bytes (0x08) are",
                                                static_cast<int>(magic[2])),
                         .place = file.string()});
  if (static_cast<size_t>(magic[3]) != axes)
    damaged(file,
            fmt::format("expected {} axes, the file has {}", axes, static_cast<int>(magic[3])));
  Shape shape = read_shape(reader, axes, file);
  return read_numbers(reader, std::move(shape), file);
}

Dataset read(const DataRequest& request) {
  fs::path images = find(request.path, "images", request.part);
  fs::path labels = find(request.path, "labels", request.part);
  if (images.empty()) {
    std::string part = request.part == Part::train ? "train" : "t10k";
    no_such_part(request, "looked for " + part + "-images-idx3-ubyte, with or without .gz");
  }
  Dataset data{.name = name_with_part(request)};
  data.inputs.push_back({"", read_idx(images, 3)});
  if (!labels.empty()) data.targets.push_back({"", read_idx(labels, 1)});
  return data;
}

}  // namespace

const Reader idx_reader{"IDX files (train-images-idx3-ubyte …, gzip too)", recognises, read};

}  // namespace hornbeam
