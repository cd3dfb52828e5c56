#include "formats/zip.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace hornbeam {
namespace {

constexpr uint64_t largest_deflate_ratio = 1032;
constexpr uint64_t largest_deflated_entry = uint64_t{64} << 30;

[[noreturn]] void damaged(const std::string& place, const std::string& why) {
  throw Error("H103", {.message = why, .place = place, .help = "copy or save the file again"});
}

[[noreturn]] void cannot_read(const std::string& place, const std::string& why) {
  throw Error("H101", {.message = "cannot read '" + place + "': " + why, .place = place});
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct Close {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using OpenArchive = std::unique_ptr<zip_t, Discard>;
using OpenEntry = std::unique_ptr<zip_file_t, Close>;

struct OpenFailure {  // libzip's report of why an archive did not open
  zip_error_t error;
  explicit OpenFailure(int code = ZIP_ER_OK) { zip_error_init_with_code(&error, code); }
  ~OpenFailure() { zip_error_fini(&error); }
  OpenFailure(const OpenFailure&) = delete;
  OpenFailure& operator=(const OpenFailure&) = delete;

  std::string text() { return zip_error_strerror(&error); }
  bool of_the_file_system() const {
    int code = zip_error_code_zip(&error);
    return code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ ||
           code == ZIP_ER_SEEK;
  }
};

void check_claimed_size(const zip_stat_t& entry, const std::string& place) {
  bool stored = entry.comp_method == ZIP_CM_STORE;
  if (!stored && entry.comp_method != ZIP_CM_DEFLATE)
    damaged(place, "the entry is neither stored nor deflated");
  if (entry.encryption_method != ZIP_EM_NONE) damaged(place, "the entry is encrypted");
  bool plausible = stored ? entry.size == entry.comp_size
                          : entry.size <= largest_deflated_entry &&
                                entry.size / largest_deflate_ratio <= entry.comp_size;
  if (!plausible)
    damaged(place, fmt::format("the entry claims {}, which its {} of packed data cannot hold",
                               bytes_text(entry.size), bytes_text(entry.comp_size)));
}

}  // namespace

struct ZipReader::Archive {
  std::vector<std::byte> content;  // empty when libzip reads the file itself
  std::string place;
  uint64_t size = 0;  // bytes of the whole archive
  OpenArchive handle;
  std::vector<std::string> names;
  std::map<std::string, zip_uint64_t, std::less<>> index_of;

  void open(zip_source_t* source, OpenFailure& failure) {
    handle.reset(zip_open_from_source(source, ZIP_RDONLY, &failure.error));
    if (!handle) {
      zip_source_free(source);
      if (failure.of_the_file_system()) cannot_read(place, failure.text());
      damaged(place, "this is not a whole zip archive: " + failure.text());
    }
    if (size == 0) damaged(place, "this is not a zip archive: it is empty");
    read_names();
  }

  void read_names() {
    zip_int64_t count = zip_get_num_entries(handle.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* name = zip_get_name(handle.get(), i, ZIP_FL_ENC_GUESS);
      if (name == nullptr) damaged(place, fmt::format("entry {} has no readable name", i));
      if (!index_of.emplace(name, i).second)
        damaged(place, fmt::format("the archive has two entries named '{}'", name));
      names.push_back(name);
    }
  }

  zip_stat_t stat(zip_uint64_t index, const std::string& entry_place) const {
    zip_stat_t entry;
    constexpr zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(handle.get(), index, 0, &entry) != 0 || (entry.valid & needed) != needed)
      damaged(entry_place, "the entry's size is not known");
    if (entry.comp_size > size)
      damaged(entry_place, "the entry claims more packed data than the whole file has");
    check_claimed_size(entry, entry_place);
    return entry;
  }
};

ZipReader::ZipReader(const std::filesystem::path& path) : archive_(std::make_shared<Archive>()) {
  archive_->place = path.string();
  std::error_code code;
  archive_->size = std::filesystem::file_size(path, code);
  if (code) cannot_read(path.string(), code.message());
  OpenFailure failure;
  zip_source_t* source = zip_source_file_create(path.c_str(), 0, -1, &failure.error);
  if (source == nullptr) damaged(archive_->place, failure.text());
  archive_->open(source, failure);
}

ZipReader::ZipReader(std::vector<std::byte> content, std::string place)
    : archive_(std::make_shared<Archive>()) {
  archive_->content = std::move(content);
  archive_->place = std::move(place);
  archive_->size = archive_->content.size();
  OpenFailure failure;
  zip_source_t* source = zip_source_buffer_create(archive_->content.data(),
                                                  archive_->content.size(), 0, &failure.error);
  if (source == nullptr) damaged(archive_->place, failure.text());
  archive_->open(source, failure);
}

ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;
ZipReader::~ZipReader() = default;

std::vector<std::string> ZipReader::names() const { return archive_->names; }

bool ZipReader::contains(std::string_view name) const { return archive_->index_of.contains(name); }

// An entry, read from its start on or from where it was told to.
class ZipReader::Entry {
 public:
  Entry(std::shared_ptr<Archive> archive, std::string_view name) : archive_(std::move(archive)) {
    auto found = archive_->index_of.find(name);
    if (found == archive_->index_of.end())
      damaged(archive_->place, fmt::format("the archive has no entry '{}'", name));
    place_ = fmt::format("{}, entry '{}'", archive_->place, name);
    stat_ = archive_->stat(found->second, place_);
    file_.reset(zip_fopen_index(archive_->handle.get(), found->second, 0));
    if (!file_) damaged(place_, zip_strerror(archive_->handle.get()));
  }

  uint64_t size() const { return stat_.size; }
  bool is_stored() const { return stat_.comp_method == ZIP_CM_STORE; }

  void read(std::span<std::byte> part) {
    const uint64_t got = read_some(part);
    if (got != part.size()) wrong_size(bytes_text(size() - part.size() + got));
  }
  // Behind the last byte: reading past the end is what makes libzip verify the checksum.
  void finish() {
    std::byte beyond{};
    if (read_some({&beyond, 1}) != 0) wrong_size("more");
  }
  void seek(uint64_t first) {  // of a stored entry
    if (zip_fseek(file_.get(), static_cast<zip_int64_t>(first), SEEK_SET) != 0)
      damaged(place_, zip_file_strerror(file_.get()));
  }

 private:
  uint64_t read_some(std::span<std::byte> part) {
    zip_int64_t got = zip_fread(file_.get(), part.data(), part.size());
    if (got < 0) damaged(place_, zip_file_strerror(file_.get()));
    return static_cast<uint64_t>(got);
  }
  [[noreturn]] void wrong_size(const std::string& held) const {
    damaged(place_, fmt::format("the entry claims {} but holds {}", bytes_text(size()), held));
  }

  std::shared_ptr<Archive> archive_;
  std::string place_;
  zip_stat_t stat_;
  OpenEntry file_;
};

std::vector<std::byte> ZipReader::read(std::string_view name) const {
  Entry entry(archive_, name);
  std::vector<std::byte> content(entry.size());
  entry.read(content);
  entry.finish();
  return content;
}

ByteSource ZipReader::source(std::string_view name) const {
  auto entry = std::make_shared<Entry>(archive_, name);
  if (!entry->is_stored()) return source_owning(read(name));
  std::vector<std::byte> buffer(std::min<uint64_t>(entry->size(), 1 << 20));
  for (uint64_t left = entry->size(); left > 0; left -= std::min<uint64_t>(left, buffer.size()))
    entry->read(std::span(buffer).first(std::min<uint64_t>(left, buffer.size())));
  entry->finish();
  return {entry->size(), [entry](uint64_t first, std::span<std::byte> part) {
            entry->seek(first);
            entry->read(part);
          }};
}

namespace {

zip_source_t* source_of(zip_t* archive, const ZipEntry& entry) {
  if (!entry.file.empty()) return zip_source_file(archive, entry.file.c_str(), 0, -1);
  return zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
}

// False when libzip refuses; `archive` then says why. The content must live until zip_close.
bool add_stored(zip_t* archive, const ZipEntry& entry) {
  constexpr zip_uint16_t first_of_january_1980 = 0x21;
  zip_source_t* source = source_of(archive, entry);
  if (source == nullptr) return false;
  zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  return zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, index, 0, first_of_january_1980, 0) == 0;
}

}  // namespace

void write_zip(const std::filesystem::path& path, std::span<const ZipEntry> entries) {
  check(!entries.empty(), "a zip archive is written with at least one entry");
  write_aside(path, [&](const std::filesystem::path& aside) {
    int code = 0;
    OpenArchive archive(zip_open(aside.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) cannot_write(path, OpenFailure(code).text());
    for (const ZipEntry& entry : entries)
      if (!add_stored(archive.get(), entry)) cannot_write(path, zip_strerror(archive.get()));
    if (zip_close(archive.get()) != 0) cannot_write(path, zip_strerror(archive.get()));
    archive.release();  // zip_close has freed it
  });
}

}  // namespace hornbeam
