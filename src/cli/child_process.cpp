#include "cli/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace hornbeam {
namespace {

constexpr int poll_milliseconds = 200;

[[noreturn]] void cannot_start(int why) {
  throw Error("H402",
              {.message = std::string("a process cannot be started: ") + std::strerror(why)});
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) cannot_start(errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

class Spawn {
 public:
  Spawn() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    // A group of its own: the terminal's Ctrl-C goes to the parent alone.
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const std::vector<std::string>& arguments, const Pipe& out, const Pipe& err) {
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, out.write_end(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, err.write_end(), STDERR_FILENO);
    std::vector<std::string> texts{"hornbeam"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> values;
    for (std::string& text : texts) values.push_back(text.data());
    values.push_back(nullptr);
    pid_t child = 0;
    const int failure =
        ::posix_spawn(&child, "/proc/self/exe", &files_, &attributes_, values.data(), environ);
    if (failure != 0) cannot_start(failure);
    return child;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// What can be read at once; false at the end.
bool read_some(int from, std::string& text) {
  char part[4096];
  const ssize_t got = ::read(from, part, sizeof part);
  if (got > 0) text.append(part, static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// Hands on the whole lines behind `told`, which moves to the end of the last one.
void tell_lines(const std::string& text, size_t& told, const ChildWatch& watch) {
  for (size_t end; (end = text.find('\n', told)) != text.npos; told = end + 1)
    if (watch.line) watch.line(std::string_view(text).substr(told, end - told));
}

// Until both pipes are at their ends.
void listen(pid_t child, Pipe& out, Pipe& err, const ChildWatch& watch, ChildEnd& end) {
  pollfd sources[] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
  std::string* texts[] = {&end.out, &end.err};
  size_t told = 0;
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    const int ready = ::poll(sources, 2, poll_milliseconds);
    if (!end.stopped && watch.stop && watch.stop()) {
      end.stopped = true;
      ::kill(child, SIGKILL);
    }
    for (int i = 0; ready > 0 && i < 2; ++i)
      if (sources[i].revents != 0 && !read_some(sources[i].fd, *texts[i])) sources[i].fd = -1;
    tell_lines(end.err, told, watch);
  }
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& arguments, const ChildWatch& watch) {
  Pipe out, err;
  const pid_t child = Spawn().start(arguments, out, err);
  out.close(1);
  err.close(1);
  ChildEnd end;
  listen(child, out, err, watch, end);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) end.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace hornbeam
