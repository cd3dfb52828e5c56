#include "compile/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/text.h"
#include "compile/data_parallel.h"
#include "compile/expand.h"
#include "compile/simplify.h"
#include "ir/verify.h"

namespace hornbeam {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::string_view switch_place = "--without-pass";

// Those that can be switched off, once each.
std::string switches_text(std::span<const Pass> passes) {
  std::vector<std::string> names;
  for (const Pass& pass : passes)
    if (!pass.required && std::ranges::count(names, pass.name) == 0) names.emplace_back(pass.name);
  return "passes that can be switched off: " + join(names, ", ");
}

void verify_after(const Pass& pass, const Graph& graph) {
  try {
    verify(graph);
  } catch (const Error& error) {
    throw error.at(fmt::format("after the pass {}", pass.name));
  }
}

}  // namespace

void require_known_switches(std::span<const Pass> passes, const CompileOptions& options) {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes) names.push_back(pass.name);
  for (const std::string& name : options.disabled_passes) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error("H302", {.message = fmt::format("there is no compiler pass '{}'", name),
                           .place = std::string(switch_place),
                           .help = did_you_mean(name, names, switches_text(passes))});
    if (passes[static_cast<size_t>(found - names.begin())].required)
      throw Error("H302",
                  {.message = fmt::format("the compiler pass '{}' cannot be switched off", name),
                   .place = std::string(switch_place),
                   .help = switches_text(passes)});
  }
}

PipelineResult run_passes(const Graph& graph, std::span<const Pass> passes,
                          const CompileOptions& options) {
  require_known_switches(passes, options);
  return run_more_passes({graph, {}}, passes, options);
}

PipelineResult run_more_passes(PipelineResult result, std::span<const Pass> passes,
                               const CompileOptions& options) {
  for (const Pass& pass : passes) {
    const auto& disabled = options.disabled_passes;
    if (std::find(disabled.begin(), disabled.end(), pass.name) != disabled.end()) continue;
    auto start = std::chrono::steady_clock::now();
    result.graph = pass.apply(result.graph);
    result.passes.push_back(
        {std::string(pass.name), seconds_since(start), result.graph.nodes().size()});
    if (options.verify) verify_after(pass, result.graph);
    if (options.dump) options.dump(pass.name, result.graph);
  }
  return result;
}

Pass simplify_pass() { return {"simplify", simplify}; }

Pass data_parallel_pass(int replicas, int devices) {
  return {"data_parallel",
          [slices = replicas / devices, devices](const Graph& graph) {
            return data_parallel(graph, slices, devices);
          },
          true};
}

Pass expand_pass(Claims claims) {
  return {"expand",
          [claims = std::move(claims)](const Graph& graph) { return expand(graph, claims); }, true};
}

std::vector<Pass> neutral_passes(const CompileOptions& options, Claims claims, int devices) {
  return {simplify_pass(), data_parallel_pass(options.replicas, devices),
          expand_pass(std::move(claims)), simplify_pass()};
}

}  // namespace hornbeam
