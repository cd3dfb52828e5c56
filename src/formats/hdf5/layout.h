// Where and how the elements of a dataset are stored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "formats/hdf5/datatype.h"

namespace hornbeam::hdf5 {

struct CompactLayout {
  Cursor data;
};

struct ContiguousLayout {
  std::optional<uint64_t> address;  // nothing when no element was ever written
  uint64_t size;
};

enum class ChunkIndex { tree, single, fixed_array };

struct ChunkedLayout {
  ChunkIndex index{};
  std::optional<uint64_t> address;        // of the index; nothing when no element was ever written
  std::vector<uint64_t> extents;          // of a chunk, in elements
  std::optional<uint64_t> filtered_size;  // of a single chunk that is filtered
  uint32_t skipped_filters = 0;           // of a single chunk
};

using Layout = std::variant<CompactLayout, ContiguousLayout, ChunkedLayout>;

// `rank` is that of the dataset. Kinds of storage that are not read are refused by name.
Layout read_layout(Cursor message, int64_t rank);

struct Chunk {
  std::vector<uint64_t> start;   // its first element in the dataset
  Cursor data;                   // as stored
  uint32_t skipped_filters = 0;  // a bit for each filter not applied to this chunk
};

// Calls visit(chunk) for every chunk that is stored. `chunk_bytes` is the size without filters.
void for_each_chunk(const Source& source, const ChunkedLayout& layout, const Shape& shape,
                    uint64_t chunk_bytes, const std::function<void(const Chunk&)>& visit);

}  // namespace hornbeam::hdf5
