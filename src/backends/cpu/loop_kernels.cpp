// scan and while: the body is a run of its own in the workspace; carried values stay in the memory
// of the node's results from step to step. A scan's body works in that memory itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/cpu/graph_run.h"
#include "backends/cpu/plans.h"
#include "ir/builder.h"

namespace hornbeam {
namespace {

// A body with the addresses of its inputs, kept so that a step allocates nothing.
struct BodyRun {
  BodyRun(std::shared_ptr<const Graph> body, const CpuInfo& cpu)
      : run(std::make_shared<GraphRun>(std::move(body), cpu)),
        inputs(run->graph().inputs().size()) {}

  void step(const KernelArguments& on, KernelTimes times) {
    run->run(on.threads, on.workspace, inputs, times);
  }

  // Output `number` of the last step of a while. Never in the memory of an input, so outputs can be
  // copied over inputs in any order.
  const std::byte* output(size_t number, const KernelArguments& on) const {
    return run->address(run->storage().outputs[number], on.workspace, inputs);
  }
  size_t output_bytes(size_t number) const {
    return static_cast<size_t>(run->graph().type(run->graph().outputs()[number].value).bytes());
  }
  size_t input_bytes(size_t number) const {
    return static_cast<size_t>(run->graph().type(run->graph().inputs()[number].value).bytes());
  }
  int64_t arena_bytes() const { return run->storage().summary.arena_bytes; }

  std::shared_ptr<GraphRun> run;
  std::vector<std::byte*> inputs;
};

struct Scan {
  explicit Scan(const Attrs& attrs)
      : constants(static_cast<size_t>(attrs.integer("constants"))),
        carries(static_cast<size_t>(attrs.integer("carries"))),
        length(attrs.integer("length")),
        reverse(attrs.boolean("reverse")) {}

  size_t constants, carries;
  int64_t length;
  bool reverse;
};

// The body with its outputs as state, so that the memory plan writes them to where they belong: a
// carry over the one it came from, an element of a stacked output to its place, which is one more
// input.
std::shared_ptr<const Graph> body_in_place(const Graph& body, const Scan& scan) {
  Builder build;
  Exprs inputs;
  auto name_of_output = [](size_t number) { return fmt::format("output {}", number); };
  for (size_t i = 0; i < body.inputs().size(); ++i) {
    bool carried = i >= scan.constants && i < scan.constants + scan.carries;
    build.set_scope(body.node(body.inputs()[i].value).scope);
    inputs.push_back(
        build.input(carried ? name_of_output(i - scan.constants) : fmt::format("input {}", i),
                    body.type(body.inputs()[i].value), carried ? Role::state : Role::parameter));
  }
  Exprs outputs = inline_graph(build, body, inputs);
  for (size_t i = scan.carries; i < outputs.size(); ++i)
    build.input(name_of_output(i), outputs[i].type(), Role::state);
  for (size_t i = 0; i < outputs.size(); ++i)
    build.output(name_of_output(i), outputs[i], Role::state);
  return std::make_shared<const Graph>(build.finish());
}

void run_scan(const Scan& scan, BodyRun& body, const KernelArguments& on) {
  const size_t sequences = scan.constants + scan.carries, operands = on.operands.size();
  for (size_t i = 0; i < operands; ++i) body.inputs[i] = const_cast<std::byte*>(on.operands[i]);
  for (size_t i = 0; i < scan.carries; ++i) {
    size_t input = scan.constants + i;
    std::memcpy(on.results[i], on.operands[input], body.input_bytes(input));
    body.inputs[input] = on.results[i];
  }
  on.times.end();
  for (int64_t step = 0; step < scan.length; ++step) {
    size_t at = static_cast<size_t>(scan.reverse ? scan.length - 1 - step : step);
    for (size_t i = sequences; i < operands; ++i)
      body.inputs[i] = const_cast<std::byte*>(on.operands[i]) + at * body.input_bytes(i);
    for (size_t i = scan.carries; i < on.results.size(); ++i) {
      size_t input = operands + i - scan.carries;
      body.inputs[input] = on.results[i] + at * body.input_bytes(input);
    }
    body.step(on, on.times.behind(1));
    on.times.end();
  }
}

void run_while(BodyRun& condition, BodyRun& body, const KernelArguments& on) {
  const KernelTimes condition_times = on.times.behind(1);
  const KernelTimes body_times = condition_times.behind(condition.run->kernel_count());
  for (size_t i = 0; i < on.results.size(); ++i) {
    std::memcpy(on.results[i], on.operands[i], body.input_bytes(i));
    condition.inputs[i] = body.inputs[i] = on.results[i];
  }
  while (true) {
    condition.step(on, condition_times);
    if (*condition.output(0, on) == std::byte{0}) return;
    body.step(on, body_times);
    for (size_t i = 0; i < on.results.size(); ++i)
      std::memcpy(on.results[i], body.output(i, on), body.output_bytes(i));
    on.times.end();
  }
}

// A scan of its own only copies what is carried.
double carried_bytes(const KernelRequest& request, const Scan& scan) {
  int64_t bytes = 0;
  for (size_t i = 0; i < scan.carries; ++i) bytes += request.result(i).bytes();
  return static_cast<double>(bytes);
}

}  // namespace

Planned plan_scan(const KernelRequest& request, const CpuInfo& cpu) {
  Scan scan(request.node.attrs);
  auto body = std::make_shared<BodyRun>(body_in_place(*request.node.bodies[0], scan), cpu);
  return KernelPlan{.memory = {.workspace_bytes = body->arena_bytes()},
                    .cost = {.bytes = 2 * carried_bytes(request, scan)},
                    .inner = {{body->run, scan.length}},
                    .run = [=](const KernelArguments& on) { run_scan(scan, *body, on); }};
}

Planned plan_while(const KernelRequest& request, const CpuInfo& cpu) {
  auto condition = std::make_shared<BodyRun>(request.node.bodies[0], cpu);
  auto body = std::make_shared<BodyRun>(request.node.bodies[1], cpu);
  int64_t workspace = std::max(condition->arena_bytes(), body->arena_bytes());
  return KernelPlan{.memory = {.workspace_bytes = workspace},
                    .inner = {{condition->run, 1}, {body->run, 1}},  // nobody knows how many
                    .run = [=](const KernelArguments& on) { run_while(*condition, *body, on); }};
}

}  // namespace hornbeam
