#include "backends/pjrt/plugin_search.h"

#include <algorithm>
#include <cstdlib>

namespace hornbeam::pjrt {
namespace fs = std::filesystem;
namespace {

const PluginKind kinds[] = {
    {.name = "cpu-xla",
     .title = "the cores of this machine, by XLA",
     .variables = {"HORNBEAM_PJRT_CPU_XLA"},
     .python_libraries = {"lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
                          "fastatomstruct_xla_cpu/libpjrt_cpu.so"},
     .system_libraries = {"pjrt_c_api_cpu_plugin.so", "libpjrt_cpu.so"},
     .package = "--no-deps lammps-jax-pjrt-cpu",
     .devices_by_option = true},
    {.name = "cuda",
     .title = "NVIDIA GPUs",
     .variables = {"HORNBEAM_PJRT_CUDA"},
     .python_libraries = {"jax_plugins/xla_cuda13/xla_cuda_plugin.so",
                          "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
     .system_libraries = {"pjrt_c_api_gpu_plugin.so", "xla_cuda_plugin.so"},
     .package = "\"jax[cuda13]\""},
    {.name = "tpu",
     .title = "Google TPUs",
     .variables = {"TPU_LIBRARY_PATH", "HORNBEAM_PJRT_TPU"},
     .python_libraries = {"libtpu/libtpu.so"},
     .system_libraries = {"libtpu.so"},
     .package = "libtpu"},
};

constexpr std::string_view library_folders[] = {"/usr/local/lib", "/usr/lib", "/lib"};

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The newest Python first; "python3" is Debian's own.
std::vector<fs::path> python_folders(const fs::path& library) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(library, ignored))
    if (entry.path().filename().string().starts_with("python3")) folders.push_back(entry.path());
  auto minor = [](const fs::path& folder) {
    const std::string name = folder.filename().string();
    return name.size() > 8 ? std::atoi(name.c_str() + 8) : 0;
  };
  std::ranges::sort(folders, std::greater(), minor);
  return folders;
}

// The folders of packages below what pip calls a prefix.
std::vector<fs::path> package_folders(const fs::path& prefix) {
  std::vector<fs::path> folders;
  for (const fs::path& python : python_folders(prefix / "lib"))
    for (const char* name : {"site-packages", "dist-packages"}) folders.push_back(python / name);
  return folders;
}

std::vector<fs::path> prefixes(const Environment& environment) {
  std::vector<fs::path> all;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (auto value = environment(variable)) all.push_back(*value);
  for (const std::string& folder : parts_of(environment("PATH").value_or("")))
    if (fs::path(folder).filename() == "bin") all.push_back(fs::path(folder).parent_path());
  if (auto home = environment("HOME")) {
    all.push_back(fs::path(*home) / ".local");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(*home) / ".pyenv/versions", ignored))
      all.push_back(entry.path());
  }
  all.push_back("/usr/local");
  all.push_back("/usr");
  return all;
}

}  // namespace

std::span<const PluginKind> plugin_kinds() { return kinds; }

const PluginKind* find_plugin_kind(std::string_view name) {
  auto found = std::ranges::find(kinds, name, &PluginKind::name);
  return found == std::end(kinds) ? nullptr : &*found;
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr || *value == 0 ? std::nullopt : std::optional<std::string>(value);
  };
}

std::vector<fs::path> plugin_places(const PluginKind& kind, const Environment& environment) {
  std::vector<fs::path> places;
  for (std::string_view variable : kind.variables)
    if (auto value = environment(std::string(variable))) places.push_back(*value);
  std::vector<fs::path> packages;
  for (const std::string& folder : parts_of(environment("PYTHONPATH").value_or("")))
    packages.push_back(folder);
  for (const fs::path& prefix : prefixes(environment))
    for (const fs::path& folder : package_folders(prefix)) packages.push_back(folder);
  for (const fs::path& folder : packages)
    for (std::string_view library : kind.python_libraries) places.push_back(folder / library);
  for (std::string_view folder : library_folders)
    for (std::string_view library : kind.system_libraries)
      places.push_back(fs::path(folder) / library);
  return places;
}

std::optional<fs::path> find_plugin(const PluginKind& kind, const Environment& environment) {
  for (std::string_view variable : kind.variables)
    if (auto value = environment(std::string(variable))) return *value;
  std::error_code ignored;
  for (const fs::path& place : plugin_places(kind, environment))
    if (fs::is_regular_file(place, ignored)) return place;
  return {};
}

}  // namespace hornbeam::pjrt
