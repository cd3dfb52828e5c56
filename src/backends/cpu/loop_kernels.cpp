// scan and while: the body is a run of its own in the workspace; carried values stay in the memory
// of the node's results from step to step.
#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/cpu/graph_run.h"
#include "backends/cpu/plans.h"

namespace hornbeam {
namespace {

// A body with the addresses of its inputs, kept so that a step allocates nothing.
struct BodyRun {
  BodyRun(const KernelRequest& request, size_t body, const CpuInfo& cpu)
      : run(request.node.bodies[body], cpu), inputs(run.graph().inputs().size()) {}

  void step(const KernelArguments& on) { run.run(on.threads, on.workspace, inputs); }

  // Output `number` of the last step. Never in the memory of an input, so outputs can be copied
  // over inputs in any order.
  const std::byte* output(size_t number, const KernelArguments& on) const {
    return run.address(run.storage().outputs[number], on.workspace, inputs);
  }
  size_t output_bytes(size_t number) const {
    return static_cast<size_t>(run.graph().type(run.graph().outputs()[number].value).bytes());
  }
  size_t input_bytes(size_t number) const {
    return static_cast<size_t>(run.graph().type(run.graph().inputs()[number].value).bytes());
  }
  int64_t arena_bytes() const { return run.storage().summary.arena_bytes; }

  GraphRun run;
  std::vector<std::byte*> inputs;
};

struct Scan {
  size_t carries;
  int64_t length;
  bool reverse;
};

void run_scan(const Scan& scan, BodyRun& body, const KernelArguments& on) {
  for (size_t i = 0; i < scan.carries; ++i) {
    std::memcpy(on.results[i], on.operands[i], body.input_bytes(i));
    body.inputs[i] = on.results[i];
  }
  for (int64_t step = 0; step < scan.length; ++step) {
    size_t at = static_cast<size_t>(scan.reverse ? scan.length - 1 - step : step);
    for (size_t i = scan.carries; i < body.inputs.size(); ++i)
      body.inputs[i] = const_cast<std::byte*>(on.operands[i]) + at * body.input_bytes(i);
    body.step(on);
    for (size_t i = 0; i < on.results.size(); ++i) {
      size_t bytes = body.output_bytes(i);
      std::memcpy(on.results[i] + (i < scan.carries ? 0 : at * bytes), body.output(i, on), bytes);
    }
  }
}

void run_while(BodyRun& condition, BodyRun& body, const KernelArguments& on) {
  for (size_t i = 0; i < on.results.size(); ++i) {
    std::memcpy(on.results[i], on.operands[i], body.input_bytes(i));
    condition.inputs[i] = body.inputs[i] = on.results[i];
  }
  while (true) {
    condition.step(on);
    if (*condition.output(0, on) == std::byte{0}) return;
    body.step(on);
    for (size_t i = 0; i < on.results.size(); ++i)
      std::memcpy(on.results[i], body.output(i, on), body.output_bytes(i));
  }
}

}  // namespace

Planned plan_scan(const KernelRequest& request, const CpuInfo& cpu) {
  auto body = std::make_shared<BodyRun>(request, 0, cpu);
  const Attrs& attrs = request.node.attrs;
  Scan scan{static_cast<size_t>(attrs.integer("carries")), attrs.integer("length"),
            attrs.boolean("reverse")};
  const double length = static_cast<double>(scan.length);
  return KernelPlan{.memory = {.workspace_bytes = body->arena_bytes()},
                    .cost = {.operations = body->run.cost().operations * length,
                             .bytes = body->run.cost().bytes * length},
                    .run = [=](const KernelArguments& on) { run_scan(scan, *body, on); }};
}

Planned plan_while(const KernelRequest& request, const CpuInfo& cpu) {
  auto condition = std::make_shared<BodyRun>(request, 0, cpu);
  auto body = std::make_shared<BodyRun>(request, 1, cpu);
  int64_t workspace = std::max(condition->arena_bytes(), body->arena_bytes());
  return KernelPlan{.memory = {.workspace_bytes = workspace},
                    .cost = body->run.cost(),  // of one round: nobody knows how many there are
                    .run = [=](const KernelArguments& on) { run_while(*condition, *body, on); }};
}

}  // namespace hornbeam
