// Object headers, versions 1 and 2: the messages that describe a group or a dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/hdf5/source.h"

namespace hornbeam::hdf5 {

enum class MessageType : uint16_t {
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  old_fill_value = 0x04,
  fill_value = 0x05,
  link = 0x06,
  external_files = 0x07,
  layout = 0x08,
  filters = 0x0b,
  attribute = 0x0c,
  continuation = 0x10,
  symbol_table = 0x11,
  attribute_info = 0x15,
};

struct Message {
  MessageType type;
  bool shared;  // the content is a reference to another object, which holds the message
  Cursor content;
};

class ObjectHeader {
 public:
  // `source` must outlive the header.
  ObjectHeader(const Source& source, uint64_t address);

  const std::vector<Message>& messages() const { return messages_; }
  bool has(MessageType type) const;
  // The first message of the type, with references followed; nothing when there is none.
  std::optional<Cursor> find(MessageType type) const;
  Cursor get(MessageType type, const char* what) const;  // H102 when there is none

 private:
  std::vector<Message> messages_;
  uint64_t address_;
  const Source* source_;
};

// The message of `type` that a reference in a "shared" message points to.
Cursor follow_shared(Cursor reference, MessageType type);

}  // namespace hornbeam::hdf5
