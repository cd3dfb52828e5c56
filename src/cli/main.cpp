// hornbeam: reads the command line, runs a command, turns errors into exit codes.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "base/error.h"
#include "cli/command.h"

namespace {

int run(const std::vector<std::string>& arguments) {
  hornbeam::Options options = hornbeam::parse_options(arguments);
  if (options.help) {
    std::cout << hornbeam::help_text(options.command);
    return 0;
  }
  if (const char* folder = std::getenv("HORNBEAM_DATA")) options.data_folder = folder;
  return hornbeam::find_command(options.command).run(options);
}

int report(const hornbeam::Error& error) {
  std::cerr << error.what() << "\n";
  std::cerr << "hornbeam explain " << error.code().name << " tells more\n";
  return static_cast<int>(error.code().exit);
}

}  // namespace

int main(int count, char** values) {
  try {
    return run(std::vector<std::string>(values + 1, values + count));
  } catch (const hornbeam::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(hornbeam::Error("H401", {.message = "the machine has no memory left",
                                           .help = "hornbeam plan shows what a run needs"}));
  } catch (const std::exception& error) {
    return report(hornbeam::Error("H901", {.message = error.what()}));
  }
}
