#include "formats/hdf5/filters.h"

#include <fmt/format.h>
#include <zlib.h>

#include "formats/hdf5/checksum.h"

namespace hornbeam::hdf5 {
namespace {

using Bytes = std::vector<std::byte>;

constexpr uint64_t checksum_size = 4;
constexpr uint64_t largest_deflate_ratio = 1032;

std::string name_of(uint16_t number) {
  constexpr std::string_view names[] = {"", "", "", "", "szip", "nbit", "scale-offset"};
  constexpr uint16_t lzf = 32000;
  if (number == lzf) return "the filter lzf";
  if (number < std::size(names) && !names[number].empty())
    return fmt::format("the filter {}", names[number]);
  return fmt::format("the filter number {}", number);
}

Filter read_filter(Cursor& message, int version) {
  constexpr uint16_t first_with_name = 256;
  uint16_t number = message.u16();
  uint64_t name_size = version == 1 || number >= first_with_name ? message.u16() : 0;
  message.skip(2);  // flags
  uint64_t values = message.u16();
  if (version == 1) name_size = (name_size + 7) / 8 * 8;
  message.skip(name_size);
  Cursor parameters = message.sub(4 * values);
  if (version == 1 && values % 2 == 1) message.skip(4);
  if (number < Filter::deflate || number > Filter::fletcher)
    message.source().unsupported(name_of(number));
  Filter filter{static_cast<Filter::Kind>(number)};
  if (filter.kind == Filter::shuffle && values > 0) filter.element_size = parameters.u32();
  if (filter.element_size == 0) message.damaged("the filter shuffle has elements of no size");
  return filter;
}

Bytes inflated(const Bytes& packed, uint64_t most, const Cursor& where) {
  most = std::min(most, packed.size() * largest_deflate_ratio + 64);
  Bytes result(most);
  uLongf size = most;
  int code = uncompress(reinterpret_cast<Bytef*>(result.data()), &size,
                        reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (code != Z_OK) where.damaged("a compressed chunk cannot be unpacked");
  result.resize(size);
  return result;
}

// Shuffled data holds the first bytes of all elements, then their second bytes, …; bytes that fill
// no element stand at the end.
Bytes unshuffled(const Bytes& shuffled, uint64_t element_size) {
  uint64_t elements = shuffled.size() / element_size;
  Bytes result = shuffled;
  for (uint64_t digit = 0; digit < element_size && elements > 0; ++digit)
    for (uint64_t i = 0; i < elements; ++i)
      result[i * element_size + digit] = shuffled[digit * elements + i];
  return result;
}

void verify_checksum(Bytes& data, const Cursor& where) {
  if (data.size() < checksum_size) where.damaged("a chunk lacks its checksum");
  uint32_t stored = 0;
  for (int i = 1; i <= 4; ++i) stored = stored << 8 | static_cast<uint8_t>(data[data.size() - i]);
  data.resize(data.size() - checksum_size);
  if (fletcher32(data) != stored) where.damaged("the checksum of a chunk does not match");
}

}  // namespace

Filters read_filters(Cursor message) {
  constexpr int most_filters = 32;
  int version = message.u8();
  int count = message.u8();
  if (version < 1 || version > 2 || count > most_filters)
    message.damaged("the filters of a dataset are unreadable");
  if (version == 1) message.skip(6);
  Filters filters;
  for (int i = 0; i < count; ++i) filters.push_back(read_filter(message, version));
  return filters;
}

Bytes unfilter(const Filters& filters, uint32_t skipped, Cursor stored, uint64_t size) {
  const Cursor where = stored;
  std::span<const std::byte> packed = stored.bytes(stored.remaining());
  Bytes data(packed.begin(), packed.end());
  uint64_t most = size + filters.size() * checksum_size;
  for (size_t i = filters.size(); i-- > 0;) {
    if (skipped >> i & 1) continue;
    if (filters[i].kind == Filter::deflate) data = inflated(data, most, where);
    if (filters[i].kind == Filter::shuffle) data = unshuffled(data, filters[i].element_size);
    if (filters[i].kind == Filter::fletcher) verify_checksum(data, where);
  }
  if (data.size() != size)
    where.damaged(fmt::format("a chunk holds {} bytes where {} belong", data.size(), size));
  return data;
}

}  // namespace hornbeam::hdf5
