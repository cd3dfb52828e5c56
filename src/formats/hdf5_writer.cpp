#include "formats/hdf5_writer.h"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/dtype.h"
#include "base/files.h"

namespace hornbeam {
namespace {

// What the library could not write, and the system's reason where it gave one; write_hdf5 adds the
// file.
struct Failure {
  std::string what;
  int reason;
};

[[noreturn]] void failed(const std::string& what) { throw Failure{what, errno}; }

// An identifier of the library, closed at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id_ < 0) failed(what);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t status, const std::string& what) {
  if (status < 0) failed(what);
}

hid_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return H5T_IEEE_F32LE;
    case DType::float64:
      return H5T_IEEE_F64LE;
    case DType::int32:
      return H5T_STD_I32LE;
    case DType::int64:
      return H5T_STD_I64LE;
    case DType::uint8:
    case DType::boolean:
      return H5T_STD_U8LE;
    case DType::bfloat16:
      return H5T_STD_U16LE;
  }
  __builtin_unreachable();
}

void write_group(hid_t file, const std::string& path) {
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0) return;
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose, path);
  require(H5Pset_create_intermediate_group(properties, 1), path);
  Handle group(H5Gcreate2(file, path.c_str(), properties, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
               path);
}

// A part of a dataset that lies in one piece: rows of an axis, at one place of the axes before it.
struct Part {
  std::vector<hsize_t> start, count;
};

void write_part(hid_t dataset, hid_t type, const Part& part, std::span<const std::byte> numbers) {
  Handle file(H5Dget_space(dataset), H5Sclose, "part");
  require(H5Sselect_hyperslab(file, H5S_SELECT_SET, part.start.data(), nullptr, part.count.data(),
                              nullptr),
          "part");
  Handle memory(H5Screate_simple(static_cast<int>(part.count.size()), part.count.data(), nullptr),
                H5Sclose, "part");
  require(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, numbers.data()), "part");
}

// About 256 KiB at a time: the state of a model is not to be in memory twice.
void write_in_parts(hid_t dataset, hid_t type, const TensorSource& tensor) {
  constexpr int64_t part_bytes = int64_t{256} << 10;
  const Shape& shape = tensor.shape;
  const int64_t bytes = shape.elements() * static_cast<int64_t>(size_of(tensor.dtype));
  int64_t axis = 0, row_bytes = bytes / shape[0];
  while (row_bytes > part_bytes && axis + 1 < shape.rank()) row_bytes /= shape[++axis];
  const int64_t rows = shape[axis], at_once = std::clamp<int64_t>(part_bytes / row_bytes, 1, rows);
  std::vector<std::byte> buffer(at_once * row_bytes);
  Part part{std::vector<hsize_t>(shape.rank(), 0), {shape.begin(), shape.end()}};
  std::fill_n(part.count.begin(), axis, 1);
  for (int64_t done = 0; done < bytes;) {
    const int64_t row = done / row_bytes, first = row % rows,
                  count = std::min(at_once, rows - first);
    for (int64_t at = axis, place = row; at >= 0; place /= shape[at--])
      part.start[at] = place % shape[at];
    part.count[axis] = count;
    const std::span<std::byte> numbers = std::span(buffer).first(count * row_bytes);
    tensor.read(done, numbers);
    write_part(dataset, type, part, numbers);
    done += count * row_bytes;
  }
}

void write_numbers(hid_t dataset, hid_t type, const TensorSource& tensor) {
  if (tensor.shape.elements() == 0) return;
  if (tensor.shape.rank() > 0) return write_in_parts(dataset, type, tensor);
  std::vector<std::byte> number(size_of(tensor.dtype));
  tensor.read(0, number);
  require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, number.data()), "a number");
}

void write_dataset(hid_t file, const Hdf5Document::Data& data) {
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose, data.path);
  require(H5Pset_create_intermediate_group(properties, 1), data.path);
  std::vector<hsize_t> extents(data.tensor.shape.begin(), data.tensor.shape.end());
  Handle space(extents.empty()
                   ? H5Screate(H5S_SCALAR)
                   : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
               H5Sclose, data.path);
  hid_t type = type_of(data.tensor.dtype);
  Handle dataset(
      H5Dcreate2(file, data.path.c_str(), type, space, properties, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, data.path);
  write_numbers(dataset, type, data.tensor);
}

void write_attribute(hid_t file, const Hdf5Document::Text& text) {
  Handle group(H5Oopen(file, text.group.c_str(), H5P_DEFAULT), H5Oclose, text.group);
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, text.name);
  require(H5Tset_size(type, H5T_VARIABLE), text.name);
  require(H5Tset_cset(type, H5T_CSET_UTF8), text.name);
  Handle space(H5Screate(H5S_SCALAR), H5Sclose, text.name);
  Handle attribute(H5Acreate2(group, text.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose, text.name);
  const char* value = text.value.c_str();
  require(H5Awrite(attribute, type, &value), text.name);
}

void write(const std::string& name, const Hdf5Document& document) {
  // At exit the library flushes once more what could not be written, and crashes.
  H5dont_atexit();
  require(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "its errors");
  Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, name);
  for (const std::string& group : document.groups) write_group(file, group);
  for (const Hdf5Document::Data& data : document.datasets) write_dataset(file, data);
  for (const Hdf5Document::Text& text : document.attributes) write_attribute(file, text);
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), name);
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Hdf5Document& document,
                const std::filesystem::path& target) {
  errno = 0;
  try {
    write(path.string(), document);
  } catch (const Failure& failure) {
    cannot_write(target, failure.reason != 0 ? std::strerror(failure.reason)
                                             : "the HDF5 library failed at " + failure.what);
  }
}

}  // namespace hornbeam
