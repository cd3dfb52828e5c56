#include "formats/hdf5/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formats/hdf5/checksum.h"

namespace hornbeam::hdf5 {

Source Source::at_object(std::string path) const {
  Source result = *this;
  result.object = std::move(path);
  return result;
}

Cursor Source::range(uint64_t address, uint64_t size) const {
  if (address > content.size() || size > content.size() - address)
    damaged(address, fmt::format("{} bytes are wanted, which is beyond the end of the file", size));
  return {*this, address, address + size};
}

std::span<const std::byte> Source::at(uint64_t address, uint64_t size) const {
  std::span<const std::byte> part = content.subspan(address, size);
  if (pages != nullptr) pages->need(part);
  return part;
}

void Source::damaged(uint64_t address, const std::string& why) const {
  throw Error("H102", {.message = "the HDF5 file is damaged: " + why,
                       .place = fmt::format("{}, object {}, byte {}", file, object, address),
                       .help = "copy the file again, or load and save it once with Keras"});
}

void Source::unsupported(const std::string& feature) const {
  throw Error("H102", {.message = "the HDF5 file uses " + feature + ", which is not read",
                       .place = fmt::format("{}, object {}", file, object),
                       .notes = {"Hornbeam reads the part of the format that Keras writes"},
                       .help = "load the file and save it once with Keras"});
}

uint64_t Cursor::number(int size) {
  uint64_t value = 0;
  std::span<const std::byte> digits = bytes(size);
  for (int i = size - 1; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(digits[i]);
  return value;
}

std::optional<uint64_t> Cursor::optional_address() {
  uint64_t value = number(source_->address_size);
  uint64_t undefined = ~uint64_t{0} >> (64 - 8 * source_->address_size);
  return value == undefined ? std::nullopt : std::optional(value);
}

uint64_t Cursor::address() {
  std::optional<uint64_t> value = optional_address();
  if (!value) damaged("an address is missing");
  return *value;
}

void Cursor::skip(uint64_t count) {
  if (count > remaining())
    damaged(fmt::format("{} bytes are wanted where {} are left", count, remaining()));
  position_ += count;
}

std::span<const std::byte> Cursor::bytes(uint64_t count) {
  skip(count);
  return source_->at(position_ - count, count);
}

std::string Cursor::text(uint64_t count) {
  std::span<const std::byte> letters = bytes(count);
  auto end = std::find(letters.begin(), letters.end(), std::byte{0});
  return {reinterpret_cast<const char*>(letters.data()),
          static_cast<size_t>(end - letters.begin())};
}

std::string Cursor::text_to_zero() {
  std::string result = Cursor(*this).text(remaining());
  if (result.size() == remaining()) damaged("a name does not end");
  skip(result.size() + 1);
  return result;
}

Cursor Cursor::sub(uint64_t count) {
  skip(count);
  return {*source_, position_ - count, position_};
}

void Cursor::signature(std::string_view wanted) {
  uint64_t start = position_;
  std::span<const std::byte> found = bytes(wanted.size());
  if (!std::equal(found.begin(), found.end(), wanted.begin(),
                  [](std::byte a, char b) { return a == static_cast<std::byte>(b); }))
    source_->damaged(start, fmt::format("the mark '{}' is missing", wanted));
}

void Cursor::checksum(uint64_t start) {
  uint64_t stored_at = end_ - 4;
  if (remaining() < 4) damaged("a checksum is missing");
  uint64_t stored = Cursor(*source_, stored_at, end_).u32();
  if (stored != lookup3(source_->at(start, stored_at - start)))
    source_->damaged(start, "a checksum does not match");
  end_ = stored_at;
}

Cursor Allowance::range(const Source& source, uint64_t address, uint64_t size) {
  Cursor block = source.range(address, size);
  take(block);
  return block;
}

void Allowance::take(const Cursor& where, uint64_t bytes) {
  if (bytes > left_) where.damaged("its structures overlap or form a circle");
  left_ -= bytes;
}

}  // namespace hornbeam::hdf5
