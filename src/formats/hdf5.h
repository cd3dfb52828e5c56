// Reads HDF5 files: what h5py and Keras write, by a reader of our own that trusts no byte.
//
// Every offset and length is checked against the file's size, walks through linked structures end,
// and memory is bounded by what the file can hold. Damage and features that Keras does not use
// throw H102 with the file, the object's path and the byte. Groups are cheap values that share the
// file, of which only the parts that are looked at are in memory. One thread at a time.
//
// Read: superblocks 0 … 3, object headers 1 and 2, groups and attributes of every kind of storage,
// contiguous, compact and chunked datasets with deflate, shuffle and Fletcher checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/tensor.h"

namespace hornbeam {

namespace hdf5 {
struct File;
struct Attribute;
}  // namespace hdf5

// A group. Paths are relative to it: "dense/kernel:0". An object or attribute that is not there is
// H101 wherever one is asked for.
class Hdf5Group {
 public:
  const std::string& path() const { return self_.path; }  // in the file: "/model_weights/dense"
  std::vector<std::string> names() const;                 // of its members, sorted by bytes
  bool has(std::string_view path) const;                  // a group or dataset
  bool has_group(std::string_view path) const;
  Hdf5Group group(std::string_view path) const;

  // Numbers, widened to the nearest element type of ours that holds all values: float16 → float32,
  // int8, int16, uint16 → int32, uint32 and uint64 → int64. Two opaque bytes are bfloat16, as Keras
  // writes it. A dataset without extent (h5py's Empty) has shape (0).
  Tensor dataset(std::string_view path) const;
  std::vector<std::string> texts(std::string_view path) const;  // a dataset of texts, row-major
  Shape shape(std::string_view path) const;

  // Attributes of the group itself. Texts are those of fixed and of variable length, a scalar
  // being an array of one; an empty array of numbers, as old files have it, is an array of no
  // texts.
  bool has_attribute(std::string_view name) const;
  std::vector<std::string> attribute_names() const;  // in the order of the file
  std::string text_attribute(std::string_view name) const;
  std::vector<std::string> texts_attribute(std::string_view name) const;
  Tensor number_attribute(std::string_view name) const;

 private:
  friend class Hdf5File;
  using FilePointer = std::shared_ptr<hdf5::File>;
  // Names and addresses of the members; symbolic links, which are not followed, have no address.
  using Links = std::map<std::string, std::optional<uint64_t>>;
  struct Object {
    uint64_t address;
    std::string path;  // in the file
  };

  Hdf5Group(FilePointer file, Object object);

  std::optional<Links> links_of(const Object& object) const;  // nothing when it is no group
  std::optional<Object> member(const Object& object, const std::string& name) const;
  Object find(std::string_view path) const;
  [[noreturn]] void refuse(const Object& object, const std::string& name) const;
  template <class Read>
  auto read(std::string_view path, Read&& read) const;
  template <class Read>
  auto read_attribute(std::string_view name, Read&& read) const;

  FilePointer file_;
  Object self_;
  std::shared_ptr<const Links> links_;
};

class Hdf5File {
 public:
  static Hdf5File open(const std::filesystem::path& path);
  // `name` stands for the file in messages.
  static Hdf5File parse(ByteSource content, std::string name);

  Hdf5Group root() const { return root_; }

 private:
  explicit Hdf5File(Hdf5Group root) : root_(std::move(root)) {}
  Hdf5Group root_;
};

}  // namespace hornbeam
