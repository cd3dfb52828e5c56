#include "cli/program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/files.h"
#include "formats/npz.h"

namespace hornbeam {
namespace fs = std::filesystem;
namespace {

std::string command_line(const std::string& arguments) {
  return std::string("exec ") + HORNBEAM_PROGRAM + " " + arguments;
}

[[noreturn]] void become(const fs::path& folder, const std::string& command) {
  if (::chdir(folder.c_str()) == 0)
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

pid_t start(const fs::path& folder, const std::string& command) {
  pid_t child = ::fork();
  if (child == 0) become(folder, command + " >stdout 2>stderr");
  return child;
}

struct Ended {
  int exit;
  int64_t peak_bytes;
};

Ended end_of(pid_t child) {
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          static_cast<int64_t>(usage.ru_maxrss) * 1024};
}

std::string golden_model(const std::string& name) {
  return std::string(HORNBEAM_TESTS_FOLDER) + "/golden/models/" + name;
}

Tensor counting(Shape shape) {
  Tensor tensor(DType::float32, std::move(shape));
  float next = 0;
  for (float& value : tensor.values<float>()) value = (next += 1) / 100;
  return tensor;
}

}  // namespace

Ran ProgramTest::run(const std::string& arguments) const { return run_under(":", arguments); }

Ran ProgramTest::run_under(const std::string& limits, const std::string& arguments) const {
  Ended ended = end_of(start(folder_.path(), limits + "; " + command_line(arguments)));
  return {ended.exit, text("stdout"), text("stderr"), ended.peak_bytes};
}

std::vector<int> ProgramTest::run_at_once(const std::string& arguments, int count) const {
  std::vector<pid_t> children;
  std::vector<int> exits;
  for (int i = 0; i < count; ++i)
    children.push_back(start(folder_.path(), command_line(arguments)));
  for (pid_t child : children) exits.push_back(end_of(child).exit);
  return exits;
}

Ran ProgramTest::run_on_a_terminal(const std::string& arguments) const {
  int terminal = -1;
  pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) become(folder_.path(), command_line(arguments));
  std::string all;
  char part[4096];
  for (ssize_t got; (got = ::read(terminal, part, sizeof part)) > 0;)
    all.append(part, static_cast<size_t>(got));
  Ended ended = end_of(child);
  ::close(terminal);
  return {ended.exit, all, "", ended.peak_bytes};
}

Ran ProgramTest::interrupt(const std::string& arguments, const fs::path& path, int signal) const {
  pid_t child = start(folder_.path(), command_line(arguments));
  while (!fs::exists(folder_ / path) && ::waitpid(child, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(child, signal);
  Ended ended = end_of(child);
  return {ended.exit, text("stdout"), text("stderr"), ended.peak_bytes};
}

std::string ProgramTest::text(const std::string& name) const { return read_text(folder_ / name); }

std::string ProgramTest::regression_model() const { return golden_model("resumed_fresh.keras"); }

std::string ProgramTest::regression_data(int64_t samples) const {
  write_npz(folder_ / "numbers.npz",
            std::vector<NamedTensor>{{"x", counting({samples, 3})}, {"y", counting({samples, 2})}});
  return "numbers.npz";
}

std::string ProgramTest::classes_model() const { return golden_model("weighted_sgd.keras"); }

std::string ProgramTest::classes_data(const std::vector<int32_t>& labels) const {
  int64_t samples = std::ssize(labels);
  write_npz(folder_ / "classes.npz",
            std::vector<NamedTensor>{
                {"x", counting({samples, 8, 8, 3})},
                {"y", Tensor::of<int32_t>({samples}, std::span<const int32_t>(labels))}});
  return "classes.npz";
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.as_object()) names.push_back(name);
  return names;
}

}  // namespace hornbeam
