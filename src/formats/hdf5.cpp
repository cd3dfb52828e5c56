#include "formats/hdf5.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/hdf5/attributes.h"
#include "formats/hdf5/dataset.h"
#include "formats/hdf5/links.h"
#include "formats/hdf5/superblock.h"
#include "formats/hdf5/values.h"

namespace hornbeam {

using hdf5::Attribute;
using hdf5::ObjectHeader;
using hdf5::Source;

struct hdf5::File {
  explicit File(ByteSource bytes) : pages(std::move(bytes)) {}
  hdf5::Pages pages;
  Source source;  // views them
};

namespace {

[[noreturn]] void missing(const Source& source, std::string_view what, std::string_view name,
                          const std::vector<std::string>& present) {
  std::vector<std::string_view> candidates(present.begin(), present.end());
  std::string_view close = nearest(name, candidates);
  std::string help = close.empty() ? "" : fmt::format("there is '{}'", close);
  throw Error("H101", {.message = fmt::format("the HDF5 file has no {} '{}'", what, name),
                       .place = fmt::format("{}, object {}", source.file, source.object),
                       .help = std::move(help)});
}

[[noreturn]] void wrong_kind(const Source& source, std::string_view path, const char* fact) {
  throw Error("H101", {.message = fmt::format("in the HDF5 file '{}' {}", path, fact),
                       .place = fmt::format("{}, object {}", source.file, source.object)});
}

std::string joined(const std::string& path, std::string_view name) {
  return path + (path.ends_with('/') ? "" : "/") + std::string(name);
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

Hdf5Group::Hdf5Group(FilePointer file, Object object)
    : file_(std::move(file)), self_(std::move(object)) {
  std::optional<Links> links = links_of(self_);
  Source source = file_->source.at_object(self_.path);
  if (!links) wrong_kind(source, self_.path, "is a dataset where a group belongs");
  links_ = std::make_shared<const Links>(std::move(*links));
}

std::optional<Hdf5Group::Links> Hdf5Group::links_of(const Object& object) const {
  Source source = file_->source.at_object(object.path);
  ObjectHeader header(source, object.address);
  return is_group(header) ? std::optional(read_links(source, header)) : std::nullopt;
}

// Nothing when `object` is no group, or has no such member, or only a symbolic link.
std::optional<Hdf5Group::Object> Hdf5Group::member(const Object& object,
                                                   const std::string& name) const {
  std::optional<Links> read;
  if (object.address != self_.address) {
    read = links_of(object);
    if (!read) return std::nullopt;
  }
  const Links& links = read ? *read : *links_;
  auto found = links.find(name);
  if (found == links.end() || !found->second) return std::nullopt;
  return Object{*found->second, joined(object.path, name)};
}

// Says why member() gave nothing.
void Hdf5Group::refuse(const Object& object, const std::string& name) const {
  Source source = file_->source.at_object(object.path);
  std::optional<Links> links = links_of(object);
  if (!links) wrong_kind(source, object.path, "is a dataset where a group belongs");
  if (links->contains(name)) source.unsupported(fmt::format("the symbolic link '{}'", name));
  missing(source, "object", name, keys_of(*links));
}

Hdf5Group::Object Hdf5Group::find(std::string_view path) const {
  Object object = self_;
  for (const std::string& name : parts_of(path)) {
    std::optional<Object> next = member(object, name);
    if (!next) refuse(object, name);
    object = std::move(*next);
  }
  return object;
}

bool Hdf5Group::has(std::string_view path) const {
  std::optional<Object> object = self_;
  for (const std::string& name : parts_of(path))
    if (!(object = member(*object, name))) return false;
  return true;
}

bool Hdf5Group::has_group(std::string_view path) const {
  if (!has(path)) return false;
  Object object = find(path);
  Source source = file_->source.at_object(object.path);
  return is_group(ObjectHeader(source, object.address));
}

Hdf5Group Hdf5Group::group(std::string_view path) const { return {file_, find(path)}; }

std::vector<std::string> Hdf5Group::names() const { return keys_of(*links_); }

// Calls read(source, header) for the object at `path`.
template <class Read>
auto Hdf5Group::read(std::string_view path, Read&& read) const {
  Object object = find(path);
  Source source = file_->source.at_object(object.path);
  ObjectHeader header(source, object.address);
  if (!header.has(hdf5::MessageType::layout))
    wrong_kind(source, path, "is no dataset, but a dataset belongs there");
  // Large datasets are read once, so only their tensors stay in memory.
  struct Forget {
    hdf5::Pages& pages;
    ~Forget() { pages.forget(); }
  } forget{file_->pages};
  return read(source, header);
}

Tensor Hdf5Group::dataset(std::string_view path) const { return read(path, hdf5::read_tensor); }

std::vector<std::string> Hdf5Group::texts(std::string_view path) const {
  return read(path, hdf5::read_texts);
}

Shape Hdf5Group::shape(std::string_view path) const {
  return read(path, [](const Source&, const ObjectHeader& header) { return read_shape(header); });
}

std::vector<std::string> Hdf5Group::attribute_names() const {
  Source source = file_->source.at_object(self_.path);
  std::vector<std::string> names;
  for (const Attribute& attribute : read_attributes(source, ObjectHeader(source, self_.address)))
    names.push_back(attribute.name);
  return names;
}

bool Hdf5Group::has_attribute(std::string_view name) const {
  std::vector<std::string> names = attribute_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Calls read(source, attribute) for the attribute `name`.
template <class Read>
auto Hdf5Group::read_attribute(std::string_view name, Read&& read) const {
  Source source = file_->source.at_object(self_.path);
  for (const Attribute& attribute : read_attributes(source, ObjectHeader(source, self_.address)))
    if (attribute.name == name) return read(source, attribute);
  missing(source, "attribute", name, attribute_names());
}

std::vector<std::string> Hdf5Group::texts_attribute(std::string_view name) const {
  return read_attribute(name, [](const Source& source, const Attribute& attribute) {
    if (attribute.data.empty()) return std::vector<std::string>{};
    return to_texts(source, attribute.type, attribute.data);
  });
}

std::string Hdf5Group::text_attribute(std::string_view name) const {
  std::vector<std::string> texts = texts_attribute(name);
  if (texts.size() != 1)
    throw Error("H102",
                {.message = fmt::format("the attribute '{}' holds {} texts where one belongs", name,
                                        texts.size()),
                 .place = fmt::format("{}, object {}", file_->source.file, self_.path)});
  return texts.front();
}

Tensor Hdf5Group::number_attribute(std::string_view name) const {
  return read_attribute(name, [](const Source& source, const Attribute& attribute) {
    return to_tensor(source, attribute.type, attribute.shape, attribute.data);
  });
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  return parse(source_of_file(path), path.string());
}

Hdf5File Hdf5File::parse(ByteSource content, std::string name) {
  auto file = std::make_shared<hdf5::File>(std::move(content));
  file->source.content = file->pages.content();
  file->source.pages = &file->pages;
  file->source.file = std::move(name);
  uint64_t root = hdf5::read_superblock(file->source);
  return Hdf5File(Hdf5Group(file, {root, "/"}));
}

}  // namespace hornbeam
