// What of PJRT devices needs no plugin: names, search, options, the cache, and plugins that cannot
// be used.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "backends/backends.h"
#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/plugin_device.h"
#include "backends/pjrt/program_cache.h"
#include "backends/pjrt/watchdog.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace hornbeam {
namespace {

using namespace pjrt;

std::string code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::string(error.code().name);
  }
  return "";
}

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
  EXPECT_EQ(code_of([] { plugin_device("cuda#none"); }), "H302");
  EXPECT_EQ(code_of([] { plugin_device("cuda#0"); }), "H302");
}

TEST(PjrtDevices, SettingsAreNamesWithTypedValues) {
  PjrtOptions options =
      options_for(*plugin_device("pjrt:/x.so"), {.settings = {"a=1", "b=true", "c=0.5", "d=text"}});
  ASSERT_EQ(options.client.size(), 4u);
  EXPECT_EQ(std::get<int64_t>(options.client[0].value), 1);
  EXPECT_EQ(std::get<bool>(options.client[1].value), true);
  EXPECT_EQ(std::get<double>(options.client[2].value), 0.5);
  EXPECT_EQ(std::get<std::string>(options.client[3].value), "text");
  EXPECT_EQ(code_of([] { options_for(*plugin_device("pjrt:/x.so"), {.settings = {"a"}}); }),
            "H302");
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
  EXPECT_EQ(code_of([&] { make_backend("pjrt:" + text.string(), {}); }), "H601");
  EXPECT_EQ(code_of([&] { make_backend("pjrt:/not/there.so", {}); }), "H601");
}

TEST(FirstContact, WithAPluginThatHangsOrDiesIsAnError) {
  ::setenv("HORNBEAM_PJRT_PATIENCE", "0.2", 1);
  EXPECT_EQ(code_of([] {
              first_contact("hangs", [] { std::this_thread::sleep_for(std::chrono::minutes(1)); });
            }),
            "H603");
  ::unsetenv("HORNBEAM_PJRT_PATIENCE");
  EXPECT_EQ(code_of([] { first_contact("dies", [] { std::raise(SIGKILL); }); }), "H603");
  EXPECT_EQ(code_of([] { first_contact("ends", [] { std::_Exit(3); }); }), "H603");
  EXPECT_EQ(
      code_of([] { first_contact("refuses", [] { throw Error("H602", {.message = "old"}); }); }),
      "H602");
  EXPECT_EQ(code_of([] { first_contact("answers", [] {}); }), "");
}

}  // namespace
}  // namespace hornbeam
