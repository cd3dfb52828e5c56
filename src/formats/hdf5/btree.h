// B-trees: version 1 indexes old groups and the chunks of datasets, version 2 indexes links,
// attributes and large objects of fractal heaps.
#pragma once

#include <cstdint>
#include <functional>

#include "formats/hdf5/source.h"

namespace hornbeam::hdf5 {

enum class TreeType : uint8_t {
  // version 1
  old_group = 0,
  chunks = 1,
  // version 2
  large_objects = 1,
  links_by_name = 5,
  attributes_by_name = 8,
};

// Calls leaf(key, address) for each entry of a version 1 tree, in order; a key has `key_size`
// bytes.
void walk_tree(const Source& source, uint64_t address, TreeType type, uint64_t key_size,
               Allowance& allowance, const std::function<void(Cursor key, uint64_t address)>& leaf);

// Calls visit(record) for each record of the version 2 tree whose header is at `address`.
void walk_records(const Source& source, uint64_t address, TreeType type, Allowance& allowance,
                  const std::function<void(Cursor record)>& visit);

}  // namespace hornbeam::hdf5
