#include "formats/hdf5/object_header.h"

#include <fmt/format.h>

#include <deque>

namespace hornbeam::hdf5 {
namespace {

constexpr int shared_flag = 2;

// Reads the blocks of one header: the first, and those that continuation messages name.
struct Blocks {
  const Source& source;
  Allowance allowance{source};
  std::vector<Message> messages;
  std::deque<Cursor> continuations;

  void add(MessageType type, int flags, Cursor content) {
    if (type == MessageType::continuation)
      continuations.push_back(content);
    else
      messages.push_back({type, (flags & shared_flag) != 0, content});
  }

  Cursor next_continuation() {
    Cursor message = continuations.front();
    continuations.pop_front();
    uint64_t address = message.address();
    return allowance.range(source, address, message.length());
  }

  void read_old_messages(Cursor block) {
    constexpr uint64_t head = 8;
    while (block.remaining() >= head) {
      auto type = static_cast<MessageType>(block.u16());
      uint64_t size = block.u16();
      int flags = block.u8();
      block.skip(3);
      add(type, flags, block.sub(size));
    }
  }

  void read_old(Cursor start) {
    start.skip(8);  // version, number of messages, number of links to this object
    uint64_t size = start.u32();
    start.skip(4);  // the messages begin at a multiple of eight bytes
    allowance.take(start, size);
    read_old_messages(start.sub(size));
    while (!continuations.empty()) read_old_messages(next_continuation());
  }

  void read_new_messages(Cursor block, bool ordered) {
    const uint64_t head = ordered ? 6 : 4;
    while (block.remaining() >= head) {  // fewer bytes are a gap
      auto type = static_cast<MessageType>(block.u8());
      uint64_t size = block.u16();
      int flags = block.u8();
      if (ordered) block.skip(2);  // order of creation
      add(type, flags, block.sub(size));
    }
  }

  void read_new(Cursor start) {
    uint64_t address = start.position();
    start.signature("OHDR");
    start.skip(1);  // version
    int flags = start.u8();
    if (flags & 0x20) start.skip(16);  // times
    if (flags & 0x10) start.skip(4);   // limits of compact attributes
    uint64_t size = start.number(1 << (flags & 3));
    if (start.remaining() < 4 || size > start.remaining() - 4)
      start.damaged("a header is too long");
    Cursor block = start.sub(size + 4);
    allowance.take(block);
    block.checksum(address);
    bool ordered = (flags & 4) != 0;
    read_new_messages(block, ordered);
    while (!continuations.empty()) {
      Cursor next = next_continuation();
      next.checksum(next.position());
      next.signature("OCHK");
      read_new_messages(next, ordered);
    }
  }
};

}  // namespace

ObjectHeader::ObjectHeader(const Source& source, uint64_t address)
    : address_(address), source_(&source) {
  Cursor start = source.range(address, 0);
  start = {source, address, source.content.size()};
  Blocks blocks{source};
  int version = Cursor(start).u8();
  if (version == 1)
    blocks.read_old(start);
  else
    blocks.read_new(start);
  messages_ = std::move(blocks.messages);
}

bool ObjectHeader::has(MessageType type) const {
  for (const Message& message : messages_)
    if (message.type == type) return true;
  return false;
}

std::optional<Cursor> ObjectHeader::find(MessageType type) const {
  for (const Message& message : messages_)
    if (message.type == type)
      return message.shared ? follow_shared(message.content, type) : message.content;
  return std::nullopt;
}

Cursor ObjectHeader::get(MessageType type, const char* what) const {
  std::optional<Cursor> found = find(type);
  if (!found) source_->damaged(address_, fmt::format("the object has no {}", what));
  return *found;
}

Cursor follow_shared(Cursor reference, MessageType type) {
  const Source& source = reference.source();
  int version = reference.u8();
  int kind = reference.u8();
  constexpr int in_another_header = 2, version_with_padding = 1;
  if (version == version_with_padding) reference.skip(6);
  bool in_heap = version == 3 && kind != in_another_header;
  if (version < 1 || version > 3 || in_heap) source.unsupported("a table of shared messages");
  ObjectHeader header(source, reference.address());
  for (const Message& message : header.messages())
    if (message.type == type && !message.shared) return message.content;
  reference.damaged("a reference to a shared message leads nowhere");
}

}  // namespace hornbeam::hdf5
