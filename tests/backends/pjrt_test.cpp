// What of PJRT devices needs no plugin: names, search, options, the cache, and plugins that cannot
// be used.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "backends/backends.h"
#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/plugin_device.h"
#include "backends/pjrt/program_cache.h"
#include "backends/pjrt/watchdog.h"
#include "base/files.h"
#include "refusals.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

using namespace pjrt;

TEST(PjrtDevices, AreNamedByKindOrPathWithANumberOfDevices) {
  auto four = plugin_device("cpu-xla#4");
  ASSERT_TRUE(four);
  EXPECT_EQ(four->kind->name, "cpu-xla");
  EXPECT_EQ(four->devices, 4);
  auto path = plugin_device("pjrt:/opt/plugin.so#2");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->path, "/opt/plugin.so");
  EXPECT_EQ(path->devices, 2);
  EXPECT_FALSE(plugin_device("gpu"));
  expect_failure("H302", "", [] { plugin_device("cuda#none"); });
  expect_failure("H302", "", [] { plugin_device("cuda#0"); });
}

TEST(PjrtDevices, SettingsAreNamesWithTypedValues) {
  PjrtOptions options =
      options_for(*plugin_device("pjrt:/x.so"), {.settings = {"a=1", "b=true", "c=0.5", "d=text"}});
  ASSERT_EQ(options.client.size(), 4u);
  EXPECT_EQ(std::get<int64_t>(options.client[0].value), 1);
  EXPECT_EQ(std::get<bool>(options.client[1].value), true);
  EXPECT_EQ(std::get<double>(options.client[2].value), 0.5);
  EXPECT_EQ(std::get<std::string>(options.client[3].value), "text");
  expect_failure("H302", "",
                 [] { options_for(*plugin_device("pjrt:/x.so"), {.settings = {"a"}}); });
}

TEST(PjrtDevices, AreLookedForInVariablesAndPythonEnvironments) {
  TemporaryFolder folder;
  const auto library =
      folder.path() / "lib/python3.11/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so";
  std::filesystem::create_directories(library.parent_path());
  write_text(library, "");
  const PluginKind& cuda = *find_plugin_kind("cuda");
  auto environment = [&](const std::string& name) -> std::optional<std::string> {
    return name == "VIRTUAL_ENV" ? std::optional(folder.path().string()) : std::nullopt;
  };
  EXPECT_EQ(find_plugin(cuda, environment), library);
  auto given = [](const std::string& name) -> std::optional<std::string> {
    return name == "HORNBEAM_PJRT_CUDA" ? std::optional<std::string>("/not/there.so")
                                        : std::nullopt;
  };
  EXPECT_EQ(find_plugin(cuda, given), "/not/there.so");
}

// The bytes that XLA's plugins were seen to take for 8 replicas and 1 partition.
TEST(PjrtDevices, OptionsOfACompilationAreTheBytesOfTheirMessage) {
  const std::string expected("\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x08\x28\x01",
                             17);
  EXPECT_EQ(compile_options(8), expected);
}

TEST(PjrtDevices, ADamagedProgramOfTheCacheIsNotTaken) {
  TemporaryFolder folder;
  ProgramCache cache(folder.path() / "programs");
  EXPECT_FALSE(cache.find("key"));
  cache.put("key", "machine code");
  EXPECT_EQ(cache.find("key"), "machine code");
  EXPECT_FALSE(cache.find("another key"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "programs")) {
    std::string text = read_text(entry.path());
    text.back() ^= 1;
    write_text(entry.path(), text);
  }
  EXPECT_FALSE(cache.find("key"));
}

TEST(PjrtDevices, WhatIsNoPluginIsRefused) {
  TemporaryFolder folder;
  const auto text = folder.path() / "text.so";
  write_text(text, "no library");
  expect_failure("H601", "", [&] { make_backend("pjrt:" + text.string(), {}); });
  expect_failure("H601", "", [&] { make_backend("pjrt:/not/there.so", {}); });
}

TEST(FirstContact, WithAPluginThatHangsOrDiesIsAnError) {
  ::setenv("HORNBEAM_PJRT_PATIENCE", "0.2", 1);
  expect_failure("H603", "", [] {
    first_contact("hangs", [] { std::this_thread::sleep_for(std::chrono::minutes(1)); });
  });
  ::unsetenv("HORNBEAM_PJRT_PATIENCE");
  expect_failure("H603", "", [] { first_contact("dies", [] { std::raise(SIGKILL); }); });
  expect_failure("H603", "", [] { first_contact("ends", [] { std::_Exit(3); }); });
  expect_failure("H602", "old",
                 [] { first_contact("refuses", [] { throw Error("H602", {.message = "old"}); }); });
  EXPECT_NO_THROW(first_contact("answers", [] {}));
}

}  // namespace
}  // namespace hornbeam
