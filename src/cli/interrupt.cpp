#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/error_codes.h"

namespace hornbeam {
namespace {

volatile std::sig_atomic_t signals = 0;  // a handler can reach nothing but a global
const char* said = "";
bool waits = false;

void say(const char* text) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void handle(int) {
  if (signals && waits) return;
  if (signals) ::_exit(static_cast<int>(Exit::interrupted));
  signals = 1;
  say("\n");
  say(said);
  say("\n");
}

void install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  for (int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch()
    : InterruptWatch("finishing the step, then saving; once more ends at once", false) {}

InterruptWatch::InterruptWatch(const char* answer, bool patient) {
  said = answer;
  waits = patient;
  signals = 0;
  install(handle);
}

InterruptWatch::~InterruptWatch() { install(SIG_DFL); }

bool InterruptWatch::asked() const { return signals != 0; }

}  // namespace hornbeam
