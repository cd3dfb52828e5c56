#include "formats/npy.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "formats/npy_header.h"
#include "formats/stored_type.h"

namespace hornbeam {
namespace {

[[noreturn]] void unsupported(const std::string& descr, const std::string& place) {
  bool object = descr.ends_with('O');
  throw Error("H208",
              {.message = object ? "this is an object array; it holds pickled Python, which is "
                                   "never unpacked"
                                 : "the array's type '" + descr + "' is not supported",
               .place = place,
               .notes = {"arrays of booleans, integers and floating-point numbers of 16, 32 and 64 "
                         "bits are read"},
               .help = object ? "save a plain array of numbers, all rows of the same length"
                              : "convert it in NumPy first, for instance with "
                                "array.astype('float32')"});
}

const StoredType& stored_type(const std::string& descr, const std::string& place) {
  bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string::npos;
  const StoredType* type = ordered ? find_stored_type(descr.substr(1)) : nullptr;
  if (type == nullptr || (descr[0] == '|' && type->size != 1)) unsupported(descr, place);
  return *type;
}

void check_size(const NpyHeader& header, size_t element_size, size_t available,
                const std::string& place) {
  auto elements = static_cast<uint64_t>(header.shape.elements());
  if (elements <= available / element_size && elements * element_size == available) return;
  throw Error("H202",
              {.message = fmt::format("the array's shape {} needs {} numbers of {} bytes, but {} "
                                      "bytes are there",
                                      to_string(header.shape), elements, element_size, available),
               .place = place,
               .help = "the file is truncated or damaged; write or copy it again"});
}

void refuse_wrapped(const StoredType& type, const Tensor& tensor, const std::string& place) {
  if (std::optional<uint64_t> number = wrapped_number(type, tensor))
    throw Error("H208", {.message = fmt::format("the number {} does not fit int64, the largest "
                                                "integer type there is",
                                                *number),
                         .place = place,
                         .help = "convert the array in NumPy first"});
}

// The tensor whose numbers, taken in column-major order, are those of `columns` in memory order.
Tensor row_major(const Tensor& columns) {
  const Shape& shape = columns.shape();
  Tensor result(columns.dtype(), shape);
  size_t size = size_of(columns.dtype());
  std::vector<int64_t> strides = shape.strides();
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  int64_t target = 0;
  for (int64_t i = 0; i < columns.elements(); ++i) {
    std::memcpy(result.data() + target * size, columns.data() + i * size, size);
    for (int64_t axis = 0; axis < shape.rank(); ++axis) {  // the first axis runs fastest
      target += strides[axis];
      if (++index[axis] < shape[axis]) break;
      target -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

std::string descr_of(DType dtype) {
  const StoredType& type = stored_type_of(dtype);
  return (type.size == 1 ? '|' : '<') + std::string(type.code);
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> content, const std::string& place) {
  NpyHeader header = parse_npy_header(content, place);
  const StoredType& type = stored_type(header.descr, place);
  std::span<const std::byte> data = content.subspan(header.data_offset);
  check_size(header, type.size, data.size(), place);
  Tensor tensor = type.decode(data, header.descr[0] == '>', header.shape);
  refuse_wrapped(type, tensor, place);
  return header.fortran_order ? row_major(tensor) : std::move(tensor);
}

Tensor read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

std::vector<std::byte> npy_bytes(const Tensor& tensor) {
  if (tensor.dtype() == DType::bfloat16) return npy_bytes(tensor.converted(DType::float32));
  std::string header = npy_header_text(descr_of(tensor.dtype()), tensor.shape());
  std::vector<std::byte> result(header.size() + tensor.bytes());
  std::memcpy(result.data(), header.data(), header.size());
  std::memcpy(result.data() + header.size(), tensor.data(), tensor.bytes());
  return result;
}

}  // namespace hornbeam
