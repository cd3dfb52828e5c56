#include "formats/hdf5/dataset.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"
#include "formats/hdf5/datatype.h"
#include "formats/hdf5/filters.h"
#include "formats/hdf5/layout.h"
#include "formats/hdf5/values.h"

namespace hornbeam::hdf5 {
namespace {

using Bytes = std::vector<std::byte>;

// What the messages of a dataset say, and where its bytes are: in the file or in `assembled`.
struct Elements {
  Datatype type;
  Shape shape;
  std::span<const std::byte> data;
  Bytes assembled;
};

class Reader {
 public:
  Reader(const Source& source, const ObjectHeader& header)
      : source_(source),
        header_(header),
        type_(read_datatype(header.get(MessageType::datatype, "datatype"))),
        space_message_(header.get(MessageType::dataspace, "dataspace")),
        space_(read_dataspace(space_message_)),
        size_(space_.bytes(space_message_, type_.size)) {}

  Elements read() {
    if (header_.has(MessageType::external_files)) source_.unsupported("data in another file");
    Cursor message = header_.get(MessageType::layout, "layout");
    Layout layout = read_layout(message, space_.shape.rank());
    Elements elements{type_, space_.shape, {}, {}};
    if (auto* compact = std::get_if<CompactLayout>(&layout)) {
      elements.data = compact->data.bytes(size_);
    } else if (auto* whole = std::get_if<ContiguousLayout>(&layout); whole && whole->address) {
      if (size_ > whole->size) message.damaged("a dataset is larger than its storage");
      elements.data = source_.range(*whole->address, size_).bytes(size_);
    } else {
      elements.assembled = filled();
      if (auto* chunked = std::get_if<ChunkedLayout>(&layout)) read_chunks(*chunked, elements);
      elements.data = elements.assembled;
    }
    return elements;
  }

 private:
  // A buffer for all elements, set to the fill value.
  Bytes filled() const {
    constexpr uint64_t largest_deflate_ratio = 1032, always_believed = 16 << 20;
    uint64_t most = always_believed + largest_deflate_ratio * source_.content.size();
    if (size_ > most)
      space_message_.damaged(fmt::format("a dataset claims {}, which a file of {} cannot hold",
                                         bytes_text(size_), bytes_text(source_.content.size())));
    Bytes buffer(size_);
    std::span<const std::byte> fill = fill_value();
    if (fill.size() != type_.size) return buffer;
    for (uint64_t at = 0; at < size_; at += fill.size())
      std::memcpy(buffer.data() + at, fill.data(), fill.size());
    return buffer;
  }

  // Empty when the dataset has none: then it is zero.
  std::span<const std::byte> fill_value() const {
    std::optional<Cursor> message = header_.find(MessageType::fill_value);
    if (message) {
      int version = message->u8();
      if (version < 3) message->skip(2);  // when space is allotted and filled
      int flags = message->u8();
      bool defined = version < 3 ? flags != 0 : (flags & 0x20) != 0;
      if (!defined) return {};
    } else {
      message = header_.find(MessageType::old_fill_value);
    }
    return message ? message->bytes(message->u32()) : std::span<const std::byte>{};
  }

  void read_chunks(const ChunkedLayout& layout, Elements& elements) const {
    Filters filters;
    if (std::optional<Cursor> message = header_.find(MessageType::filters))
      filters = read_filters(*message);
    Dataspace chunk{Shape(std::vector<int64_t>(layout.extents.begin(), layout.extents.end()))};
    uint64_t chunk_bytes = chunk.bytes(space_message_, type_.size);
    for_each_chunk(source_, layout, space_.shape, chunk_bytes, [&](const Chunk& stored) {
      if (filters.empty() && stored.data.remaining() != chunk_bytes)
        stored.data.damaged("a chunk has another size than its extents say");
      Bytes data = unfilter(filters, stored.skipped_filters, stored.data, chunk_bytes);
      place(elements.assembled, data, layout.extents, stored.start);
    });
  }

  // Copies a chunk to its place, row by row; chunks at the edge reach beyond the dataset.
  void place(Bytes& target, const Bytes& chunk, const std::vector<uint64_t>& extents,
             const std::vector<uint64_t>& start) const {
    if (size_ == 0) return;
    size_t last = extents.size() - 1;
    std::vector<int64_t> strides = space_.shape.strides();
    std::vector<uint64_t> inside;  // extents of the part that lies in the dataset
    for (size_t axis = 0; axis <= last; ++axis)
      inside.push_back(std::min(extents[axis], space_.shape.extents()[axis] - start[axis]));
    std::vector<uint64_t> index(extents.size(), 0);
    for (bool more = true; more;) {
      uint64_t from = 0, to = 0;
      for (size_t axis = 0; axis <= last; ++axis) {
        from = from * extents[axis] + index[axis];
        to += (start[axis] + index[axis]) * strides[axis];
      }
      std::memcpy(target.data() + to * type_.size, chunk.data() + from * type_.size,
                  inside[last] * type_.size);
      more = false;
      for (size_t axis = last; axis-- > 0 && !more;) {
        more = ++index[axis] < inside[axis];
        if (!more) index[axis] = 0;
      }
    }
  }

  const Source& source_;
  const ObjectHeader& header_;
  Datatype type_;
  Cursor space_message_;
  Dataspace space_;
  uint64_t size_;
};

}  // namespace

Shape read_shape(const ObjectHeader& dataset) {
  return read_dataspace(dataset.get(MessageType::dataspace, "dataspace")).shape;
}

Tensor read_tensor(const Source& source, const ObjectHeader& dataset) {
  Elements elements = Reader(source, dataset).read();
  return to_tensor(source, elements.type, elements.shape, elements.data);
}

std::vector<std::string> read_texts(const Source& source, const ObjectHeader& dataset) {
  Elements elements = Reader(source, dataset).read();
  return to_texts(source, elements.type, elements.data);
}

}  // namespace hornbeam::hdf5
