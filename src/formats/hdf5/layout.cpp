#include "formats/hdf5/layout.h"

#include <fmt/format.h>

namespace hornbeam::hdf5 {
namespace {

void check_chunk(const ChunkedLayout& layout, int64_t dimensions, int64_t rank,
                 const Cursor& message) {
  bool usable = rank > 0 && dimensions == rank + 1;  // the last dimension is that of the bytes
  for (uint64_t extent : layout.extents) usable &= extent > 0 && extent >> 48 == 0;
  if (!usable) message.damaged("the chunks of a dataset do not fit its shape");
}

ChunkedLayout read_tree_chunks(Cursor message, int64_t rank) {
  ChunkedLayout layout{.index = ChunkIndex::tree};
  int dimensions = message.u8();
  layout.address = message.optional_address();
  for (int i = 1; i < dimensions; ++i) layout.extents.push_back(message.u32());
  check_chunk(layout, dimensions, rank, message);
  return layout;
}

void read_index(ChunkedLayout& layout, int flags, Cursor& message) {
  constexpr int filtered_single = 2;
  constexpr std::string_view names[] = {
      "no index",      "a single chunk",      "an implicit index",
      "a fixed array", "an extensible array", "a version 2 B-tree"};
  size_t kind = message.u8();
  if (kind >= std::size(names)) message.damaged("the index of chunks is of an unknown kind");
  if (kind == 1) {
    layout.index = ChunkIndex::single;
    if (flags & filtered_single) {
      layout.filtered_size = message.length();
      layout.skipped_filters = message.u32();
    }
  } else if (kind == 3) {
    layout.index = ChunkIndex::fixed_array;
    message.skip(1);  // size of pages, which the array repeats
  } else {
    message.source().unsupported(fmt::format("chunks with {}", names[kind]));
  }
}

ChunkedLayout read_new_chunks(Cursor message, int64_t rank) {
  ChunkedLayout layout;
  int flags = message.u8();
  int dimensions = message.u8();
  int width = message.u8();
  if (width < 1 || width > 8) message.damaged("chunk extents have an impossible width");
  for (int i = 1; i < dimensions; ++i) layout.extents.push_back(message.number(width));
  message.number(width);  // bytes of an element
  read_index(layout, flags, message);
  layout.address = message.optional_address();
  check_chunk(layout, dimensions, rank, message);
  return layout;
}

}  // namespace

Layout read_layout(Cursor message, int64_t rank) {
  enum { compact = 0, contiguous = 1, chunked = 2 };
  int version = message.u8();
  if (version < 3 || version > 5)
    message.source().unsupported(fmt::format("a dataset layout of version {}", version));
  int kind = message.u8();
  if (kind == compact) return CompactLayout{message.sub(message.u16())};
  if (kind == contiguous) {
    std::optional<uint64_t> address = message.optional_address();
    return ContiguousLayout{address, message.length()};
  }
  if (kind == chunked)
    return version == 3 ? read_tree_chunks(message, rank) : read_new_chunks(message, rank);
  message.source().unsupported("a virtual dataset");
}

}  // namespace hornbeam::hdf5
