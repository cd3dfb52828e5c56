#include "formats/hdf5/links.h"

#include <fmt/format.h>

#include "formats/hdf5/btree.h"
#include "formats/hdf5/heap.h"

namespace hornbeam::hdf5 {
namespace {

void add(Links& links, const Cursor& where, std::string name, std::optional<uint64_t> target) {
  if (name.empty()) where.damaged("a name in a group is empty");
  if (!links.emplace(std::move(name), target).second) where.damaged("a name is twice in a group");
}

// A node of a symbol table: up to as many entries as fit in it.
void read_symbols(Links& links, const Source& source, const LocalHeap& names, uint64_t address,
                  Allowance& allowance) {
  constexpr uint32_t symbolic_link = 2;
  Cursor head = allowance.range(source, address, 8);
  head.signature("SNOD");
  head.skip(2);  // version and padding
  uint64_t count = head.u16();
  uint64_t entry_size = 2 * source.address_size + 24;
  Cursor entries = allowance.range(source, address + 8, count * entry_size);
  for (uint64_t i = 0; i < count; ++i) {
    Cursor entry = entries.sub(entry_size);
    std::string name = names.text(entry.number(source.address_size));
    allowance.take(entry, name.size());
    std::optional<uint64_t> target = entry.optional_address();
    bool symbolic = entry.u32() == symbolic_link;
    add(links, entry, std::move(name), symbolic ? std::nullopt : target);
  }
}

Links read_symbol_table(const Source& source, Cursor message) {
  Links links;
  uint64_t tree = message.address();
  LocalHeap names(source, message.address());
  Allowance allowance(source);
  walk_tree(source, tree, TreeType::old_group, source.length_size, allowance,
            [&](Cursor, uint64_t node) { read_symbols(links, source, names, node, allowance); });
  return links;
}

void read_link(Links& links, Cursor message) {
  constexpr int hard = 0;
  message.skip(1);  // version
  int flags = message.u8();
  int type = flags & 8 ? message.u8() : hard;
  if (flags & 4) message.skip(8);     // order of creation
  if (flags & 0x10) message.skip(1);  // character set
  std::string name = message.text(message.number(1 << (flags & 3)));
  std::optional<uint64_t> target;
  if (type == hard) target = message.address();
  add(links, message, std::move(name), target);
}

// Links in a fractal heap; the message tells where it and the tree of its identifiers are.
void read_dense_links(Links& links, const Source& source, Cursor message) {
  message.skip(1);  // version
  int flags = message.u8();
  if (flags & 1) message.skip(8);  // largest order of creation
  std::optional<uint64_t> heap_address = message.optional_address();
  if (!heap_address) return;
  uint64_t tree = message.address();
  FractalHeap heap(source, *heap_address);
  Allowance tree_allowance(source), link_allowance(source);
  walk_records(source, tree, TreeType::links_by_name, tree_allowance, [&](Cursor record) {
    record.skip(4);  // hash of the name
    Cursor link = heap.object(record);
    link_allowance.take(link);
    read_link(links, link);
  });
}

}  // namespace

bool is_group(const ObjectHeader& header) {
  return header.has(MessageType::symbol_table) || header.has(MessageType::link_info) ||
         header.has(MessageType::link);
}

Links read_links(const Source& source, const ObjectHeader& group) {
  if (group.has(MessageType::symbol_table))
    return read_symbol_table(source, group.get(MessageType::symbol_table, "symbol table"));
  Links links;
  for (const Message& message : group.messages())
    if (message.type == MessageType::link) read_link(links, message.content);
  if (std::optional<Cursor> info = group.find(MessageType::link_info))
    read_dense_links(links, source, *info);
  return links;
}

}  // namespace hornbeam::hdf5
