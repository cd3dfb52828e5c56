#include <cstring>
#include <memory>

#include "backends/cpu/graph_run.h"
#include "backends/cpu/plans.h"

namespace hornbeam {

// Body inputs are never overwritten: they have no role of state.
Planned plan_body(const KernelRequest& request, const CpuInfo& cpu) {
  auto body = std::make_shared<GraphRun>(request.node.bodies[0], cpu);
  auto inputs = std::make_shared<std::vector<std::byte*>>(request.operands.size());
  auto run = [body, inputs](const KernelArguments& arguments) {
    for (size_t i = 0; i < inputs->size(); ++i)
      (*inputs)[i] = const_cast<std::byte*>(arguments.operands[i]);
    body->run(arguments.threads, arguments.workspace, *inputs, arguments.times.behind(1));
    for (size_t i = 0; i < arguments.results.size(); ++i) {
      const Port& output = body->graph().outputs()[i];
      std::memcpy(arguments.results[i],
                  body->address(body->storage().outputs[i], arguments.workspace, *inputs),
                  static_cast<size_t>(body->graph().type(output.value).bytes()));
    }
  };
  int64_t workspace = body->storage().summary.arena_bytes;
  return KernelPlan{.memory = {.workspace_bytes = workspace}, .inner = {{body, 1}}, .run = run};
}

}  // namespace hornbeam
