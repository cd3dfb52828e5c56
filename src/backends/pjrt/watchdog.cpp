#include "backends/pjrt/watchdog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/pjrt/plugin.h"
#include "base/error.h"
#include "base/json.h"

namespace hornbeam::pjrt {
namespace {

using Milliseconds = std::chrono::milliseconds;

struct Descriptor {
  explicit Descriptor(int n) : number(n) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close_now(); }
  void close_now() {
    if (number >= 0) ::close(number);
    number = -1;
  }
  int number;
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// An error on its way from one process to another.
std::string error_text(const Error& error) {
  const ErrorParts& parts = error.parts();
  Json::Array notes(parts.notes.begin(), parts.notes.end());
  return json_text(Json::object({{"code", std::string(error.code().name)},
                                 {"message", parts.message},
                                 {"place", parts.place},
                                 {"notes", notes},
                                 {"help", parts.help}}));
}

// The codes that first contact can end with.
CodeName code_named(const std::string& name) {
  if (name == "H601") return "H601";
  if (name == "H602") return "H602";
  if (name == "H401") return "H401";
  return "H604";
}

Error error_of(const std::string& text) {
  Json json = parse_json(text, "first contact");
  auto field = [&](const char* name) { return json.find(name)->as_text(); };
  ErrorParts parts{.message = field("message"), .place = field("place"), .help = field("help")};
  for (const Json& note : json.find("notes")->as_array()) parts.notes.push_back(note.as_text());
  return Error(code_named(field("code")), std::move(parts));
}

[[noreturn]] void contact_in_child(const std::function<void()>& contact, int answer, int output) {
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::string text = "ok";
  try {
    contact();
  } catch (const Error& error) {
    text = error_text(error);
  } catch (const std::exception& error) {
    text = error_text(Error("H604", {.message = error.what()}));
  }
  write_all(answer, text);
  ::_exit(0);  // without what the plugin would do at exit
}

// Everything until the other end is closed; false when that takes too long.
bool read_answer(int descriptor, Milliseconds time, std::string& answer) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (true) {
    auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wanted{descriptor, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char part[4096];
    ssize_t count = ::read(descriptor, part, sizeof part);
    if (count <= 0) return true;
    answer.append(part, static_cast<size_t>(count));
  }
}

// The last lines of what the child wrote.
std::vector<std::string> last_lines(int output) {
  constexpr off_t most = 4096;
  const off_t size = ::lseek(output, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::min(size, most)), '\0');
  if (::pread(output, text.data(), text.size(), std::max<off_t>(0, size - most)) < 0) text.clear();
  std::vector<std::string> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.size() > 3) lines.erase(lines.begin(), lines.end() - 3);
  return lines;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended the process with status {}", WEXITSTATUS(status));
}

[[noreturn]] void cannot_watch(const std::filesystem::path& plugin) {
  throw Error("H402", {.message = fmt::format("a process to try the plugin in cannot be made: {}",
                                              std::strerror(errno)),
                       .place = plugin.string()});
}

}  // namespace

Milliseconds patience() {
  constexpr Milliseconds usual = std::chrono::minutes(10);
  const char* seconds = std::getenv("HORNBEAM_PJRT_PATIENCE");
  const double given = seconds == nullptr ? 0 : std::atof(seconds);
  return given > 0 ? Milliseconds(static_cast<int64_t>(given * 1000)) : usual;
}

void first_contact(const std::filesystem::path& plugin, const std::function<void()>& contact) {
  int pipe[2] = {-1, -1};
  Descriptor output(::memfd_create("first contact", MFD_CLOEXEC));
  if (output.number < 0 || ::pipe2(pipe, O_CLOEXEC) != 0) cannot_watch(plugin);
  Descriptor reading(pipe[0]), writing(pipe[1]);
  const pid_t child = ::fork();
  if (child < 0) cannot_watch(plugin);
  if (child == 0) contact_in_child(contact, writing.number, output.number);
  writing.close_now();
  const Milliseconds time = std::min<Milliseconds>(std::chrono::minutes(1), patience());
  std::string answer;
  const bool in_time = read_answer(reading.number, time, answer);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (answer == "ok") return;
  if (in_time && !answer.empty()) throw error_of(answer);
  throw Error("H603",
              {.message = in_time ? fmt::format("the plugin {} when it was asked for its devices",
                                                end_text(status))
                                  : fmt::format("the plugin did not answer within {:.3g} s",
                                                static_cast<double>(time.count()) / 1000),
               .place = plugin.string(),
               .notes = last_lines(output.number),
               .help = "docs/devices.md lists the plugins; --device cpu needs none"});
}

}  // namespace hornbeam::pjrt
