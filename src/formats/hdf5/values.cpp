#include "formats/hdf5/values.h"

#include <fmt/format.h>

#include "formats/hdf5/heap.h"

namespace hornbeam::hdf5 {
namespace {

std::string without_padding(std::span<const std::byte> data, TextPadding padding) {
  std::string text(reinterpret_cast<const char*>(data.data()), data.size());
  if (padding == TextPadding::zero_terminated) return text.substr(0, text.find('\0'));
  char filler = padding == TextPadding::spaces ? ' ' : '\0';
  return text.substr(0, text.find_last_not_of(filler) + 1);
}

// An element is the length of the text, the address of a heap collection and an index into it.
std::vector<std::string> variable_texts(const Source& source, uint64_t element_size,
                                        std::span<const std::byte> data) {
  Source elements = source;  // reads `data`, which need not lie in the file
  elements.content = data;
  elements.pages = nullptr;
  if (element_size < 8u + source.address_size)
    elements.damaged(0, "elements of a variable-length type are too short");
  GlobalHeaps heaps(source);
  Allowance allowance(source);
  std::vector<std::string> texts;
  for (uint64_t at = 0; at < data.size(); at += element_size) {
    Cursor element = elements.range(at, element_size);
    uint64_t length = element.u32();
    std::optional<uint64_t> collection = element.optional_address();
    uint64_t index = element.u32();
    std::string text;
    if (length > 0 && collection && index > 0) {
      Cursor object = heaps.object(*collection, index);
      allowance.take(object, length);
      std::span<const std::byte> letters = object.bytes(length);
      text.assign(reinterpret_cast<const char*>(letters.data()), letters.size());
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

Tensor to_tensor(const Source& source, const Datatype& type, const Shape& shape,
                 std::span<const std::byte> data) {
  if (type.kind != Datatype::Kind::number) source.unsupported(type.name + " where numbers belong");
  Tensor tensor = type.number->decode(data, type.big_endian, shape);
  if (std::optional<uint64_t> number = wrapped_number(*type.number, tensor))
    source.unsupported(fmt::format("the number {}, which does not fit int64", *number));
  return tensor;
}

std::vector<std::string> to_texts(const Source& source, const Datatype& type,
                                  std::span<const std::byte> data) {
  if (type.kind == Datatype::Kind::variable_text) return variable_texts(source, type.size, data);
  if (type.kind != Datatype::Kind::fixed_text)
    source.unsupported(type.name + " where text belongs");
  std::vector<std::string> texts;
  for (size_t at = 0; at < data.size(); at += type.size)
    texts.push_back(without_padding(data.subspan(at, type.size), type.padding));
  return texts;
}

}  // namespace hornbeam::hdf5
