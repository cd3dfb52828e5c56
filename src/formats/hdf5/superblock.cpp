#include "formats/hdf5/superblock.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace hornbeam::hdf5 {
namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

// The superblock stands at the start, or at 512, 1024, 2048, … after a block of the user.
uint64_t find_signature(const Source& source) {
  const uint64_t size = source.content.size();
  for (uint64_t at = 0; at + signature.size() <= size; at = at == 0 ? 512 : at * 2)
    if (std::ranges::equal(source.at(at, signature.size()), std::as_bytes(std::span(signature))))
      return at;
  throw Error(
      "H102",
      {.message = "this is not an HDF5 file",
       .place = source.file,
       .notes = {fmt::format("the mark at its start is missing in its {}", bytes_text(size))}});
}

void set_width(int& width, Cursor& cursor) {
  width = cursor.u8();
  if (width != 2 && width != 4 && width != 8)
    cursor.damaged(fmt::format("addresses or lengths of {} bytes", width));
}

// Reads the base address and the end of the file and cuts the content at the former.
void read_extent(Source& source, Cursor& cursor) {
  uint64_t base = cursor.number(source.address_size);
  cursor.optional_address();  // of the free-space index, or of the superblock extension
  uint64_t end = cursor.number(source.address_size);
  if (base > cursor.position()) cursor.damaged("the base address is wrong");
  if (end > source.content.size())
    throw Error("H102", {.message = fmt::format("the HDF5 file is truncated: {} of {} are there",
                                                bytes_text(source.content.size()), bytes_text(end)),
                         .place = source.file,
                         .help = "copy or download the file again"});
  source.content = source.content.subspan(base);
}

uint64_t read_old(Source& source, Cursor cursor, int version) {
  cursor.skip(4);  // versions of parts that have only version 0
  set_width(source.address_size, cursor);
  set_width(source.length_size, cursor);
  cursor.skip(9);                    // widths of group trees, flags
  if (version == 1) cursor.skip(4);  // width of chunk trees
  read_extent(source, cursor);
  cursor.optional_address();           // of driver information
  cursor.number(source.address_size);  // name of the root group
  return cursor.address();
}

uint64_t read_new(Source& source, Cursor cursor, uint64_t start) {
  set_width(source.address_size, cursor);
  set_width(source.length_size, cursor);
  cursor.skip(1);  // flags
  Cursor rest = cursor.sub(4 * source.address_size + 4);
  rest.checksum(start);
  read_extent(source, rest);
  return rest.address();
}

}  // namespace

uint64_t read_superblock(Source& source) {
  uint64_t start = find_signature(source);
  Source whole = source;
  Cursor cursor = whole.range(start, whole.content.size() - start);
  cursor.skip(signature.size());
  int version = cursor.u8();
  if (version > 3) cursor.damaged(fmt::format("superblock version {} is unknown", version));
  return version < 2 ? read_old(source, cursor, version) : read_new(source, cursor, start);
}

}  // namespace hornbeam::hdf5
