#include "data/download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/files.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

constexpr int most_attempts = 4;
constexpr long seconds_to_connect = 20;
constexpr long seconds_of_silence = 60;

// One file on its way. The callbacks run inside C code, so nothing may be thrown through them.
struct Transfer {
  std::ofstream file;
  uint64_t done = 0;
  uint64_t most = 0;  // 0: not known
  const DownloadProgress* progress = nullptr;
  bool stopped = false;
  bool too_long = false;
  std::exception_ptr failure;  // of the progress callback

  bool write(const char* data, size_t size) {
    too_long = most != 0 && done + size > most;
    if (too_long || !file.write(data, static_cast<std::streamsize>(size))) return false;
    done += size;
    return true;
  }

  bool go_on() {
    try {
      stopped = *progress && !(*progress)(done, most);
    } catch (...) {
      failure = std::current_exception();
    }
    return !stopped && !failure;
  }
};

size_t on_data(char* data, size_t size, size_t count, void* transfer) {
  return static_cast<Transfer*>(transfer)->write(data, size * count) ? size * count : 0;
}

int on_progress(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(transfer)->go_on() ? 0 : 1;
}

using Connection = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

Connection connection_for(const std::string& url, Transfer& transfer, char* reason) {
  [[maybe_unused]] static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  Connection connection(curl_easy_init(), curl_easy_cleanup);
  check(connection != nullptr, "libcurl can be started");
  CURL* curl = connection.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, seconds_to_connect);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds_of_silence);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  return connection;
}

bool worth_another_attempt(CURLcode result) {
  return result == CURLE_PARTIAL_FILE || result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR ||
         result == CURLE_GOT_NOTHING || result == CURLE_OPERATION_TIMEDOUT ||
         result == CURLE_RANGE_ERROR;
}

// Empty on success, else why not.
std::string fetch(const std::string& url, const fs::path& aside, Transfer& transfer) {
  char reason[CURL_ERROR_SIZE] = "";
  Connection connection = connection_for(url, transfer, reason);
  CURLcode result = CURLE_OK;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (result == CURLE_RANGE_ERROR) transfer.done = 0;  // the server sends whole files only
    auto mode = transfer.done == 0 ? std::ios::trunc : std::ios::app;
    transfer.file = std::ofstream(aside, std::ios::binary | mode);
    curl_easy_setopt(connection.get(), CURLOPT_RESUME_FROM_LARGE,
                     static_cast<curl_off_t>(transfer.done));
    result = curl_easy_perform(connection.get());
    transfer.file.close();
    if (result == CURLE_OK && transfer.file) return "";
    if (!worth_another_attempt(result)) break;
  }
  if (transfer.too_long) return "there is more than the file should have";
  if (!transfer.file || result == CURLE_WRITE_ERROR) return "the disk does not take it";
  return reason[0] != '\0' ? reason : curl_easy_strerror(result);
}

[[noreturn]] void failed(const PublishedFile& published, const std::string& url,
                         const fs::path& target, const std::string& why) {
  throw Error("H210", {.message = fmt::format("cannot download {}: {}", published.name, why),
                       .place = url,
                       .notes = {"the file has " + description_of(published)},
                       .help = fmt::format("without a network, fetch {} elsewhere and put it at {}",
                                           url, target.string())});
}

}  // namespace

void download(const PublishedFile& published, const std::string& url, const fs::path& target,
              const DownloadProgress& progress) {
  make_folder(target.parent_path());
  write_aside(target, [&](const fs::path& aside) {
    Transfer transfer{.most = published.bytes, .progress = &progress};
    std::string why = fetch(url, aside, transfer);
    if (transfer.failure) std::rethrow_exception(transfer.failure);
    if (transfer.stopped)
      throw Error("H130",
                  {.message = fmt::format("the download of {} was interrupted", published.name),
                   .place = url});
    if (!why.empty()) failed(published, url, target, why);
    check_published(published, aside);
  });
}

}  // namespace hornbeam
