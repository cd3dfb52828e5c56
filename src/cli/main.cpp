// hornbeam: reads the command line, runs a command, turns errors into exit codes.
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "base/error.h"
#include "cli/command.h"
#include "cli/session.h"

namespace {

int run(const std::vector<std::string>& arguments) {
  hornbeam::Options options = hornbeam::parse_options(arguments);
  if (options.help) {
    std::cout << hornbeam::help_text(options.command);
    return 0;
  }
  if (options.version) {
    std::cout << "hornbeam " HORNBEAM_VERSION "\n";
    return 0;
  }
  if (const char* folder = std::getenv("HORNBEAM_DATA")) options.data_folder = folder;
  if (!options.config_note.empty()) hornbeam::note(options, "note: " + options.config_note);
  try {
    return hornbeam::find_command(options.command).run(options);
  } catch (const hornbeam::Error& error) {
    throw hornbeam::at_setting(error, options);
  }
}

// Results that did not arrive, on a full disk for instance, are no results.
void require_written() {
  std::cout.flush();
  if (std::cout.good() && std::ferror(stdout) == 0) return;
  throw hornbeam::Error("H120", {.message = "the results cannot be written",
                                 .place = "standard output",
                                 .help = "is the disk full, or the reader gone?"});
}

int report(const hornbeam::Error& error) {
  std::cerr << error.what() << "\n";
  std::cerr << "hornbeam explain " << error.code().name << " tells more\n";
  return static_cast<int>(error.code().exit);
}

}  // namespace

int main(int count, char** values) {
  // Large blocks go back to the system as soon as they are free, so that the weights of a file are
  // not held beside those of the step.
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  // One heap for all threads, which allocate nothing in steps: one for each would reserve 64 MiB of
  // what `ulimit -v` leaves.
  ::mallopt(M_ARENA_MAX, 1);
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file that grows too large is a failed write, as on a full disk
  try {
    int exit = run(std::vector<std::string>(values + 1, values + count));
    require_written();
    return exit;
  } catch (const hornbeam::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(hornbeam::Error("H401", {.message = "the machine has no memory left",
                                           .help = "hornbeam plan shows what a run needs"}));
  } catch (const std::exception& error) {
    return report(hornbeam::Error("H901", {.message = error.what()}));
  }
}
