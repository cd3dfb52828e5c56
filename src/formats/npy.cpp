#include "formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "formats/float16.h"
#include "formats/npy_header.h"

namespace hornbeam {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

struct Float16 {
  uint16_t bits;
  explicit operator float() const { return float16_to_float32(bits); }
};

struct Boolean {  // any byte but 0 is true; a C++ bool may hold nothing but 0 and 1
  uint8_t byte;
  explicit operator bool() const { return byte != 0; }
};

// One element type of NumPy and how to read it.
struct Stored {
  std::string_view code;  // kind and size: "f4"
  size_t size;
  DType dtype;
  Tensor (*decode)(std::span<const std::byte> data, bool swapped, const Shape& shape);
};

template <class From, class To>
Tensor decode(std::span<const std::byte> data, bool swapped, const Shape& shape) {
  Tensor result(dtype_of<To>, shape);
  auto target = result.values<To>();
  for (size_t i = 0; i < target.size(); ++i) {
    std::array<std::byte, sizeof(From)> element;
    std::memcpy(element.data(), data.data() + i * sizeof(From), sizeof(From));
    if (swapped) std::reverse(element.begin(), element.end());
    target[i] = static_cast<To>(std::bit_cast<From>(element));
  }
  return result;
}

template <class From, class To>
constexpr Stored stored(std::string_view code) {
  return {code, sizeof(From), dtype_of<To>, decode<From, To>};
}

constexpr Stored stored_types[] = {
    stored<float, float>("f4"),     stored<double, double>("f8"),
    stored<Float16, float>("f2"),   stored<Boolean, bool>("b1"),
    stored<uint8_t, uint8_t>("u1"), stored<int8_t, int32_t>("i1"),
    stored<int16_t, int32_t>("i2"), stored<uint16_t, int32_t>("u2"),
    stored<int32_t, int32_t>("i4"), stored<uint32_t, int64_t>("u4"),
    stored<int64_t, int64_t>("i8"), stored<uint64_t, int64_t>("u8"),
};

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

const Stored& stored_type(const std::string& descr, const std::string& place) {
  bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string::npos;
  for (const Stored& type : stored_types)
    if (ordered && descr.substr(1) == type.code && (descr[0] != '|' || type.size == 1)) return type;
  unsupported(descr, place);
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

void refuse_wrapped(const Tensor& tensor, const std::string& place) {
  for (int64_t value : tensor.values<int64_t>())
    if (value < 0)
      throw Error("H208", {.message = fmt::format("the number {} does not fit int64, the largest "
                                                  "integer type there is",
                                                  static_cast<uint64_t>(value)),
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
  for (const Stored& type : stored_types)
    if (type.dtype == dtype && type.size == size_of(dtype))
      return (type.size == 1 ? '|' : '<') + std::string(type.code);
  check(false, "every dtype but bfloat16 has a NumPy type");
  return {};
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> content, const std::string& place) {
  NpyHeader header = parse_npy_header(content, place);
  const Stored& type = stored_type(header.descr, place);
  std::span<const std::byte> data = content.subspan(header.data_offset);
  check_size(header, type.size, data.size(), place);
  Tensor tensor = type.decode(data, header.descr[0] == '>', header.shape);
  if (type.code == "u8") refuse_wrapped(tensor, place);
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
