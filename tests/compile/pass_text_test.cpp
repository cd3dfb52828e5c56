// Runs tests/passes/*.graph: a graph, a line "--- NAME key=value …", and the graph or plan that the
// pass makes of it; or "error CODE words of the message".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"
#include "compile/data_parallel.h"
#include "compile/expand.h"
#include "compile/fuse.h"
#include "compile/fused.h"
#include "compile/layout.h"
#include "compile/memory_plan.h"
#include "compile/microbatch.h"
#include "compile/pooling.h"
#include "compile/recompute.h"
#include "compile/sample_products.h"
#include "compile/simplify.h"
#include "compile/widen.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/all.h"
#include "ops/ops.h"

namespace hornbeam {
namespace {

namespace fs = std::filesystem;
using Options = std::map<std::string, std::string>;

std::string option(const Options& options, const std::string& key, const std::string& otherwise) {
  auto found = options.find(key);
  return found == options.end() ? otherwise : found->second;
}

std::string with_scopes(const Graph& graph) { return print(graph, Scopes::shown); }

std::string expanded(const Graph& graph, const Options& options) {
  std::string claimed = option(options, "claims", "");
  return with_scopes(expand(graph, [&](const Node& node, const Types&) {
    return claimed.find(node.op->name) != std::string::npos;
  }));
}

std::string fused(const Graph& whole, const Options& options) {
  FuseRules rules{.takes = [](const Graph& graph, const Node& node) {
    return node.op->op_class == OpClass::elementwise || node.op == &broadcast_in_dim_op ||
           node.op == &random_bits_op || node.op == &slice_op || is_sum_of_rows(graph, node) ||
           (node.op == &constant_op && node.results[0].shape.rank() == 0);
  }};
  rules.most_nodes = std::stoul(option(options, "most_nodes", "64"));
  return with_scopes(fuse(whole, rules));
}

// Elementwise nodes may overwrite any operand; a reduce wants a workspace of 100 bytes.
std::string planned(const Graph& graph, const Options&) {
  std::vector<NodeMemory> memory(graph.nodes().size());
  for (size_t i = 0; i < memory.size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.op == &reduce_op) memory[i].workspace_bytes = 100;
    if (node.op->op_class != OpClass::elementwise) continue;
    for (uint32_t operand = 0; operand < node.operands.size(); ++operand)
      memory[i].may_overwrite.push_back({0, operand});
  }
  return print(graph, plan_memory(graph, memory));
}

std::string recomputed(const Graph& graph, const Options&) {
  return with_scopes(recompute(graph, {.is_cheap = [](const Node& node) {
                                 return node.op->op_class == OpClass::elementwise;
                               }}));
}

std::string in_microbatches(const Graph& graph, const Options& options) {
  MicrobatchStages stages(graph);
  KeepRules rules{.seconds = [](uint32_t) { return 1.0; },
                  .most_bytes = std::stoll(option(options, "most_kept", "1000000"))};
  return with_scopes(microbatch(stages, std::stoll(option(options, "samples", "1")),
                                choose_kept(stages, rules).values));
}

using PassUnderTest = std::function<std::string(const Graph&, const Options&)>;

const std::map<std::string, PassUnderTest> passes{
    {"simplify", [](const Graph& graph, const Options&) { return with_scopes(simplify(graph)); }},
    {"data_parallel",
     [](const Graph& graph, const Options& options) {
       return with_scopes(data_parallel(graph, std::stoi(option(options, "replicas", "1"))));
     }},
    {"expand", expanded},
    {"fuse", fused},
    {"layout",
     [](const Graph& graph, const Options&) { return with_scopes(channels_last(graph)); }},
    {"memory_plan", planned},
    {"microbatch", in_microbatches},
    {"pooling", [](const Graph& graph,
                   const Options&) { return with_scopes(pooling_as_arithmetic(graph, 2)); }},
    {"recompute", recomputed},
    {"sample_products",
     [](const Graph& graph, const Options&) {
       return with_scopes(sample_products(graph, [](const Node&, const Types&) { return true; }));
     }},
    {"widen",
     [](const Graph& graph, const Options&) { return with_scopes(widen_bfloat16(graph)); }},
};

std::vector<const OpDef*> known_ops() {
  std::vector<const OpDef*> ops(all_ops().begin(), all_ops().end());
  ops.push_back(&fused_op);
  ops.push_back(&sampled_product_op);
  return ops;
}

struct Case {
  std::string before, pass, after;
  Options options;
};

Case read_case(const fs::path& path) {
  std::string text = read_text(path);
  size_t marker = text.find("\n--- ");
  if (marker == std::string::npos) throw std::runtime_error(path.string() + ": no --- line");
  size_t line_end = text.find('\n', marker + 1);
  std::istringstream words(text.substr(marker + 5, line_end - marker - 5));
  Case result{text.substr(0, marker + 1), {}, text.substr(line_end + 1), {}};
  words >> result.pass;
  for (std::string word; words >> word;)
    result.options[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return result;
}

std::string outcome(const Case& test) {
  try {
    Graph graph = parse_graph(test.before, known_ops());
    verify(graph);
    return passes.at(test.pass)(graph, test.options);
  } catch (const Error& error) {
    return fmt::format("error {} {}\n", error.code().name, error.parts().message);
  }
}

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HORNBEAM_TESTS_FOLDER) / "passes"))
    if (entry.path().extension() == ".graph") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class PassText : public testing::TestWithParam<fs::path> {};

TEST_P(PassText, MakesTheGraphThatStandsBehind) {
  Case test = read_case(GetParam());
  EXPECT_EQ(outcome(test), test.after);
}

INSTANTIATE_TEST_SUITE_P(Files, PassText, testing::ValuesIn(case_files()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(PassTexts, EveryPassHasOne) {
  std::set<std::string> tested;
  for (const fs::path& file : case_files()) tested.insert(read_case(file).pass);
  for (const auto& [name, apply] : passes) EXPECT_TRUE(tested.contains(name)) << name;
}

}  // namespace
}  // namespace hornbeam
