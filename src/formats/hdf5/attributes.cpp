#include "formats/hdf5/attributes.h"

#include <fmt/format.h>

#include "formats/hdf5/btree.h"
#include "formats/hdf5/heap.h"

namespace hornbeam::hdf5 {
namespace {

// A part of an attribute message, which version 1 pads to a multiple of eight bytes.
Cursor part(Cursor& message, uint64_t size, bool padded) {
  Cursor result = message.sub(size);
  if (padded) message.skip((8 - size % 8) % 8);
  return result;
}

Attribute read_attribute(Cursor message) {
  int version = message.u8();
  int flags = message.u8();
  if (version < 1 || version > 3) message.damaged("the version of an attribute is unknown");
  uint64_t name_size = message.u16();
  uint64_t type_size = message.u16();
  uint64_t space_size = message.u16();
  if (version == 3) message.skip(1);  // character set of the name
  bool padded = version == 1;
  std::string name = part(message, name_size, padded).text(name_size);
  Cursor type_message = part(message, type_size, padded);
  Cursor space_message = part(message, space_size, padded);
  constexpr int shared_type = 1, shared_space = 2;
  if (version > 1 && (flags & shared_type))
    type_message = follow_shared(type_message, MessageType::datatype);
  if (version > 1 && (flags & shared_space))
    space_message = follow_shared(space_message, MessageType::dataspace);
  Attribute attribute{std::move(name), read_datatype(type_message), {}, {}};
  Dataspace space = read_dataspace(space_message);
  attribute.shape = space.shape;
  attribute.data = message.bytes(space.bytes(space_message, attribute.type.size));
  return attribute;
}

void read_dense(std::vector<Attribute>& attributes, const Source& source, Cursor message) {
  message.skip(1);  // version
  int flags = message.u8();
  if (flags & 1) message.skip(2);  // largest order of creation
  std::optional<uint64_t> heap_address = message.optional_address();
  if (!heap_address) return;
  uint64_t tree = message.address();
  FractalHeap heap(source, *heap_address);
  Allowance tree_allowance(source), attribute_allowance(source);
  constexpr uint64_t identifier_size = 8;
  walk_records(source, tree, TreeType::attributes_by_name, tree_allowance, [&](Cursor record) {
    Cursor content = heap.object(record.sub(identifier_size));
    constexpr int shared = 2;
    if (record.u8() & shared) source.unsupported("a table of shared messages");
    attribute_allowance.take(content);
    attributes.push_back(read_attribute(content));
  });
}

}  // namespace

std::vector<Attribute> read_attributes(const Source& source, const ObjectHeader& header) {
  std::vector<Attribute> attributes;
  for (const Message& message : header.messages()) {
    if (message.type != MessageType::attribute) continue;
    if (message.shared) source.unsupported("a table of shared messages");
    attributes.push_back(read_attribute(message.content));
  }
  if (std::optional<Cursor> info = header.find(MessageType::attribute_info))
    read_dense(attributes, source, *info);
  return attributes;
}

}  // namespace hornbeam::hdf5
