#include "formats/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/error.h"

namespace hornbeam {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr int64_t most_axes = 64;  // NumPy's own limit

[[noreturn]] void damaged(const std::string& place, const std::string& why) {
  throw Error("H202", {.message = "not a whole .npy array: " + why,
                       .place = place,
                       .help = "write the file again with numpy.save or numpy.savez"});
}

// Reads the dictionary literal from left to right.
class Literal {
 public:
  Literal(std::string_view text, const std::string& place) : rest_(text), place_(place) {}

  NpyHeader header() {
    NpyHeader result;
    std::set<std::string> keys;
    expect('{');
    while (!accept('}')) {
      std::string key = quoted();
      if (!keys.insert(key).second) damaged(place_, "its header gives '" + key + "' twice");
      expect(':');
      read_value(key, result);
      if (!accept(',') && peek() != '}') damaged(place_, "its header lacks a comma");
    }
    if (peek() != '\0') damaged(place_, "its header goes on after the dictionary");
    if (keys.size() != 3) damaged(place_, "its header lacks descr, fortran_order or shape");
    return result;
  }

 private:
  void read_value(const std::string& key, NpyHeader& header) {
    if (key == "descr")
      header.descr = peek() == '[' ? bracketed() : quoted();
    else if (key == "fortran_order")
      header.fortran_order = truth();
    else if (key == "shape")
      header.shape = shape();
    else
      damaged(place_, "its header has the unknown key '" + key + "'");
  }

  char peek() {
    size_t start = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(std::min(start, rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool accept(char wanted) {
    if (peek() != wanted || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) damaged(place_, fmt::format("its header lacks '{}'", wanted));
  }

  std::string taken(size_t length) {
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }

  std::string quoted() {
    char quote = peek();
    if (quote != '\'' && quote != '"') damaged(place_, "its header lacks a quoted text");
    rest_.remove_prefix(1);
    size_t end = rest_.find(quote);
    if (end == rest_.npos) damaged(place_, "a quoted text in its header does not end");
    std::string text = taken(end);
    rest_.remove_prefix(1);
    return text;
  }

  // A structured type; it is refused later, so its inside is not looked at.
  std::string bracketed() {
    size_t depth = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '[') ++depth;
      if (rest_[i] == ']' && --depth == 0) return taken(i + 1);
    }
    damaged(place_, "a list in its header does not end");
  }

  bool truth() {
    peek();
    for (std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) return taken(word.size()) == "True";
    damaged(place_, "fortran_order is neither True nor False");
  }

  Shape shape() {
    std::vector<int64_t> extents;
    int64_t product = 1;  // of the extents that are not 0: strides must fit, too
    expect('(');
    while (!accept(')')) {
      extents.push_back(extent());
      if (__builtin_mul_overflow(product, std::max<int64_t>(extents.back(), 1), &product) ||
          product > int64_t{1} << 62 || std::ssize(extents) > most_axes)
        damaged(place_, "its shape is absurdly large");
      if (!accept(',') && peek() != ')') damaged(place_, "its shape lacks a comma");
    }
    return Shape(std::move(extents));
  }

  int64_t extent() {
    peek();
    int64_t value = -1;
    auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (failure != std::errc() || value < 0)
      damaged(place_, "its shape holds something else than sizes");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    accept('L');  // Python 2 wrote 3L
    return value;
  }

  std::string_view rest_;
  const std::string& place_;
};

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> content, const std::string& place) {
  std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  if (!text.starts_with(magic) || text.size() < magic.size() + 2)
    damaged(place, "it does not begin with \\x93NUMPY and a version");
  int version = text[magic.size()];
  if (version < 1 || version > 3)
    damaged(place, fmt::format("version {} is none of 1, 2 and 3", version));
  size_t length_size = version == 1 ? 2 : 4;
  size_t start = magic.size() + 2 + length_size;
  if (text.size() < start) damaged(place, "it ends inside its header");
  size_t length = 0;
  for (size_t i = 1; i <= length_size; ++i)
    length = length << 8 | static_cast<unsigned char>(text[start - i]);
  if (length > text.size() - start)
    damaged(place,
            fmt::format("its header claims {} bytes, {} are there", length, text.size() - start));
  NpyHeader header = Literal(text.substr(start, length), place).header();
  header.data_offset = start + length;
  return header;
}

std::string npy_header_text(std::string_view descr, const Shape& shape) {
  std::string extents;
  for (int64_t extent : shape) extents += fmt::format("{}, ", extent);
  if (shape.rank() > 1) extents.resize(extents.size() - 2);
  if (shape.rank() == 1) extents.pop_back();
  std::string literal =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, extents);
  size_t start = magic.size() + 4;
  size_t whole = (start + literal.size() + 1 + 63) / 64 * 64;  // numbers begin at a multiple of 64
  literal.resize(whole - start - 1, ' ');
  literal += '\n';
  std::string text(magic);
  text += {'\1', '\0', static_cast<char>(literal.size() & 0xff),
           static_cast<char>(literal.size() >> 8)};
  return text + literal;
}

}  // namespace hornbeam
