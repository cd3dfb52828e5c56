#include "formats/hdf5/datatype.h"

#include <fmt/format.h>

namespace hornbeam::hdf5 {
namespace {

enum Class {
  fixed_point = 0,
  floating_point = 1,
  string = 3,
  opaque = 5,
  enumeration = 8,
  variable_length = 9,
};

constexpr std::string_view class_names[] = {
    "an integer",     "a floating-point",  "a time",     "a string",
    "a bit field",    "an opaque",         "a compound", "a reference",
    "an enumeration", "a variable-length", "an array",   "a complex",
};

struct Head {
  int version;
  unsigned type_class;
  uint32_t bits;  // their meaning depends on the class
  uint64_t size;
};

Head read_head(Cursor& message) {
  int first = message.u8();
  Head head{first >> 4, static_cast<unsigned>(first & 15), 0, 0};
  head.bits = static_cast<uint32_t>(message.number(3));
  head.size = message.u32();
  if (head.version < 1 || head.version > 5) message.damaged("the version of a type is unknown");
  if (head.type_class >= std::size(class_names)) message.damaged("the class of a type is unknown");
  if (head.size == 0) message.damaged("a type has no size");
  return head;
}

void set_number(Datatype& type, std::string_view code) {
  type.number = find_stored_type(code);
  if (type.number == nullptr || type.number->size != type.size) return;
  type.kind = Datatype::Kind::number;
}

void read_fixed_point(Datatype& type, const Head& head, Cursor& message) {
  type.big_endian = (head.bits & 1) != 0;
  bool is_signed = (head.bits & 8) != 0;
  bool whole = message.u16() == 0;  // offset of the first bit
  whole &= message.u16() == 8 * head.size;
  if (whole) set_number(type, fmt::format("{}{}", is_signed ? 'i' : 'u', head.size));
}

void read_floating_point(Datatype& type, const Head& head, Cursor& message) {
  type.big_endian = (head.bits & 1) != 0;
  struct Format {
    std::string_view code;
    std::string_view layout;
  };
  // offset, precision; places and widths of exponent and fraction; bias of the exponent
  constexpr Format formats[] = {
      {"f2", "0 16 10 5 0 10 15"},
      {"bfloat16", "0 16 7 8 0 7 127"},
      {"f4", "0 32 23 8 0 23 127"},
      {"f8", "0 64 52 11 0 52 1023"},
  };
  uint16_t offset = message.u16(), precision = message.u16();
  int exponent_at = message.u8(), exponent = message.u8();
  int fraction_at = message.u8(), fraction = message.u8();
  std::string layout = fmt::format("{} {} {} {} {} {} {}", offset, precision, exponent_at, exponent,
                                   fraction_at, fraction, message.u32());
  for (const Format& format : formats)
    if (layout == format.layout) set_number(type, format.code);
}

// h5py stores booleans as an enumeration of one signed byte with the names FALSE and TRUE.
void read_enumeration(Datatype& type, const Head& head, Cursor& message) {
  Head base = read_head(message);
  if (base.type_class != fixed_point || base.size != 1 || (head.bits & 0xffff) != 2) return;
  message.skip(4);  // bit offset and precision of the base
  for (std::string_view name : {"FALSE", "TRUE"}) {
    uint64_t start = message.position();
    if (message.text_to_zero() != name) return;
    bool padded = head.version < 3;
    uint64_t length = message.position() - start;
    if (padded) message.skip((8 - length % 8) % 8);
  }
  if (message.u8() == 0 && message.u8() == 1) set_number(type, "b1");
}

void read_variable_length(Datatype& type, const Head& head) {
  bool is_text = (head.bits & 15) == 1;
  if (is_text) type.kind = Datatype::Kind::variable_text;
}

void read_string(Datatype& type, const Head& head, const Cursor& message) {
  if ((head.bits & 15) > 2) message.damaged("the padding of a text is unknown");
  type.padding = static_cast<TextPadding>(head.bits & 15);
  type.kind = Datatype::Kind::fixed_text;
}

}  // namespace

Datatype read_datatype(Cursor message) {
  Head head = read_head(message);
  Datatype type{.size = head.size};
  type.name = fmt::format("{} type of {} bytes", class_names[head.type_class], head.size);
  if (head.type_class == fixed_point) read_fixed_point(type, head, message);
  if (head.type_class == floating_point) read_floating_point(type, head, message);
  if (head.type_class == string) read_string(type, head, message);
  // bfloat16 numbers of Keras: NumPy has no such type, and h5py stores two opaque bytes.
  if (head.type_class == opaque && head.size == 2) set_number(type, "bfloat16");
  if (head.type_class == enumeration) read_enumeration(type, head, message);
  if (head.type_class == variable_length) read_variable_length(type, head);
  return type;
}

Dataspace read_dataspace(Cursor message) {
  constexpr int most_axes = 32;
  int version = message.u8();
  int rank = message.u8();
  message.skip(1);  // flags
  if (version != 1 && version != 2) message.damaged("the version of a dataspace is unknown");
  if (rank > most_axes) message.damaged("a dataspace has more than 32 axes");
  constexpr int null_space = 2;
  bool null = version == 2 && message.u8() == null_space;
  if (version == 1) message.skip(5);
  if (null) return {Shape{0}};
  std::vector<int64_t> extents;
  for (int axis = 0; axis < rank; ++axis) {
    uint64_t extent = message.length();
    if (extent >> 48 != 0) message.damaged("an axis is impossibly long");
    extents.push_back(static_cast<int64_t>(extent));
  }
  return {Shape(std::move(extents))};
}

uint64_t Dataspace::bytes(const Cursor& where, uint64_t element_size) const {
  constexpr uint64_t most = uint64_t{1} << 48;
  uint64_t product = element_size;
  bool empty = false;
  for (int64_t extent : shape) {
    empty |= extent == 0;
    if (extent != 0 && product > most / extent)
      where.damaged(fmt::format("the shape {} is impossibly large", to_string(shape)));
    if (extent != 0) product *= extent;
  }
  return empty ? 0 : product;
}

}  // namespace hornbeam::hdf5
