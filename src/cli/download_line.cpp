#include "cli/download_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "base/text.h"

namespace hornbeam {
namespace {

class DownloadLine {
 public:
  ~DownloadLine() {
    if (unfinished_) std::cerr << std::endl;  // an error stopped it: the message gets its own line
  }

  void show(uint64_t done, uint64_t total) {
    if (done == 0) return;
    std::string text = fmt::format("downloading: {} of {}", bytes_text(done),
                                   total == 0 ? "?" : bytes_text(total));
    if (terminal_) return redraw(text, done == total);
    uint64_t tenth = total == 0 ? 0 : done * 10 / total;
    if (tenth > tenth_) std::cerr << text << std::endl;
    tenth_ = tenth;
  }

 private:
  void redraw(const std::string& text, bool finished) {
    std::cerr << "\r\033[K" << text << (finished ? "\n" : "") << std::flush;
    unfinished_ = !finished;
  }

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool unfinished_ = false;
  uint64_t tenth_ = 0;
};

}  // namespace

std::function<bool(uint64_t, uint64_t)> download_line() {
  return [line = std::make_shared<DownloadLine>()](uint64_t done, uint64_t total) {
    line->show(done, total);
    return true;
  };
}

}  // namespace hornbeam
