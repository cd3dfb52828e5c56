#include <fmt/format.h>

#include "formats/hdf5/btree.h"
#include "formats/hdf5/layout.h"

namespace hornbeam::hdf5 {
namespace {

// How many chunks lie along each axis.
std::vector<uint64_t> grid_of(const ChunkedLayout& layout, const Shape& shape) {
  std::vector<uint64_t> grid;
  for (size_t axis = 0; axis < layout.extents.size(); ++axis)
    grid.push_back((shape.extents()[axis] + layout.extents[axis] - 1) / layout.extents[axis]);
  return grid;
}

struct Walk {
  const Source& source;
  const ChunkedLayout& layout;
  const Shape& shape;
  uint64_t chunk_bytes;
  const std::function<void(const Chunk&)>& visit;
  Allowance index_allowance{source};
  Allowance data_allowance{source};

  void visit_chunk(std::vector<uint64_t> start, uint64_t address, uint64_t size, uint32_t skipped) {
    Cursor data = data_allowance.range(source, address, size);
    visit({std::move(start), data, skipped});
  }

  // The key of a chunk is its stored size, its filter mask, and its first element.
  void read_tree(uint64_t address) {
    uint64_t key_size = 8 + 8 * (layout.extents.size() + 1);
    walk_tree(source, address, TreeType::chunks, key_size, index_allowance,
              [&](Cursor key, uint64_t chunk) {
                uint64_t size = key.u32();
                uint32_t skipped = key.u32();
                std::vector<uint64_t> start;
                for (size_t axis = 0; axis < layout.extents.size(); ++axis) {
                  start.push_back(key.number(8));
                  bool inside = start[axis] < static_cast<uint64_t>(shape.extents()[axis]) &&
                                start[axis] % layout.extents[axis] == 0;
                  if (!inside) key.damaged("a chunk lies outside its dataset");
                }
                visit_chunk(std::move(start), chunk, size, skipped);
              });
  }

  void read_single(uint64_t address) {
    std::vector<uint64_t> start(layout.extents.size(), 0);
    visit_chunk(std::move(start), address, layout.filtered_size.value_or(chunk_bytes),
                layout.skipped_filters);
  }

  std::vector<uint64_t> start_of(uint64_t number, const std::vector<uint64_t>& grid) const {
    std::vector<uint64_t> start(grid.size());
    for (size_t axis = grid.size(); axis-- > 0; number /= grid[axis])
      start[axis] = number % grid[axis] * layout.extents[axis];
    return start;
  }

  struct Array {  // the header of a fixed array
    bool filtered;
    uint64_t entry_size;
    uint64_t page_entries;  // more entries than this are cut into pages
    uint64_t entries;
    uint64_t data;
  };

  Array read_array_head(uint64_t address) {
    Cursor head =
        index_allowance.range(source, address, 12 + source.length_size + source.address_size);
    head.checksum(address);
    head.signature("FAHD");
    head.skip(1);  // version
    bool filtered = head.u8() == 1;
    uint64_t entry_size = head.u8();
    int page_bits = head.u8();
    uint64_t entries = head.length();
    uint64_t least = source.address_size + (filtered ? 5 : 0);
    if (entry_size < least || entry_size > least + 7 || page_bits > 31)
      head.damaged("the entries of a fixed array have an impossible size");
    return {filtered, entry_size, uint64_t{1} << page_bits, entries, head.address()};
  }

  void read_entry(const Array& array, Cursor entry, std::vector<uint64_t> start) {
    std::optional<uint64_t> address = entry.optional_address();
    if (!address) return;
    uint64_t size = chunk_bytes;
    uint32_t skipped = 0;
    if (array.filtered) {
      size = entry.number(static_cast<int>(array.entry_size) - source.address_size - 4);
      skipped = entry.u32();
    }
    visit_chunk(std::move(start), *address, size, skipped);
  }

  // Entries [first, first + count), which a checksum follows.
  void read_entries(const Array& array, Cursor block, uint64_t first, uint64_t count,
                    const std::vector<uint64_t>& grid) {
    for (uint64_t i = 0; i < count; ++i)
      read_entry(array, block.sub(array.entry_size), start_of(first + i, grid));
  }

  void read_pages(const Array& array, uint64_t head_size, const std::vector<uint64_t>& grid) {
    uint64_t pages = (array.entries + array.page_entries - 1) / array.page_entries;
    Cursor head = index_allowance.range(source, array.data, head_size + (pages + 7) / 8 + 4);
    head.checksum(array.data);
    head.skip(head_size);
    std::span<const std::byte> written = head.bytes((pages + 7) / 8);  // a bit for each page
    uint64_t position = head.position() + 4;
    for (uint64_t page = 0; page < pages; ++page) {
      uint64_t first = page * array.page_entries;
      uint64_t count = std::min(array.page_entries, array.entries - first);
      uint64_t size = count * array.entry_size + 4;
      Cursor block = index_allowance.range(source, position, size);
      position += array.page_entries * array.entry_size + 4;
      bool is_written = (written[page / 8] & (std::byte{0x80} >> page % 8)) != std::byte{0};
      if (!is_written) continue;
      block.checksum(block.position());
      read_entries(array, block, first, count, grid);
    }
  }

  void read_fixed_array(uint64_t address) {
    Array array = read_array_head(address);
    std::vector<uint64_t> grid = grid_of(layout, shape);
    uint64_t chunks = 1;
    for (uint64_t extent : grid) chunks *= extent;  // at most the elements, which are bounded
    if (chunks != array.entries || chunks > source.content.size())
      source.damaged(address, "a fixed array has another number of entries than there are chunks");
    uint64_t head_size = 6 + source.address_size;
    Cursor(source.range(array.data, 4)).signature("FADB");
    if (array.entries > array.page_entries) return read_pages(array, head_size, grid);
    Cursor block =
        index_allowance.range(source, array.data, head_size + chunks * array.entry_size + 4);
    block.checksum(array.data);
    block.skip(head_size);
    read_entries(array, block, 0, chunks, grid);
  }
};

}  // namespace

void for_each_chunk(const Source& source, const ChunkedLayout& layout, const Shape& shape,
                    uint64_t chunk_bytes, const std::function<void(const Chunk&)>& visit) {
  if (!layout.address) return;
  Walk walk{source, layout, shape, chunk_bytes, visit};
  if (layout.index == ChunkIndex::tree) walk.read_tree(*layout.address);
  if (layout.index == ChunkIndex::single) walk.read_single(*layout.address);
  if (layout.index == ChunkIndex::fixed_array) walk.read_fixed_array(*layout.address);
}

}  // namespace hornbeam::hdf5
