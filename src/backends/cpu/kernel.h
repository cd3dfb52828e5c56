// Kernel: one way to do a node on the CPU. For each op an ordered list, best first: a kernel takes
// a node with a plan or refuses it with a reason; the reference comes last, so everything works.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/threads.h"
#include "compile/memory_plan.h"
#include "ir/graph.h"
#include "runtime/backend.h"

namespace hornbeam {

struct CpuInfo {
  int threads = 1;
  MatmulPrecision matmul_precision = MatmulPrecision::highest;
};

// The node to be done, with the types of its operands.
struct KernelRequest {
  const Node& node;
  const Types& operands;

  const Type& operand(size_t number) const { return operands[number]; }
  const Type& result(size_t number = 0) const { return node.results[number]; }
};

// What a kernel gets to run on. Blocks need not be aligned to more than their elements.
struct KernelArguments {
  ThreadPool& threads;
  std::byte* workspace;  // 64-byte aligned, of the planned size; its content is undefined
  std::span<const std::byte* const> operands;
  std::span<std::byte* const> results;
  KernelTimes times = {};

  template <class T>
  const T* operand(size_t number) const {
    return reinterpret_cast<const T*>(operands[number]);
  }
  template <class T>
  T* result(size_t number = 0) const {
    return reinterpret_cast<T*>(results[number]);
  }
};

// What a node is predicted to cost. Gradients and methods of one op count the same operations, so
// that their speeds can be compared.
struct KernelCost {
  double operations = 0;  // on floating-point numbers
  double bytes = 0;       // read and written; 0: every operand and result once
  double seconds = 0;     // on the machine below; 0: as the two above have it

  KernelCost& operator+=(const KernelCost& other) {
    operations += other.operations;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
  KernelCost operator*(double times) const {
    return {operations * times, bytes * times, seconds * times};
  }
};

// Two cores with AVX2. Plans are compared by it, so that only its ratios matter.
namespace common_machine {
inline constexpr double operations_a_second = 1.75e11, bytes_a_second = 1.1e10, kernel_start = 2e-6;
}
double bytes_once(const KernelRequest& request);

class GraphRun;

// A graph that a kernel runs, so many times.
struct InnerGraph {
  std::shared_ptr<const GraphRun> run;
  int64_t rounds = 1;
};

struct KernelPlan {
  NodeMemory memory;
  KernelCost cost = {};                             // without that of inner graphs
  std::vector<InnerGraph> inner = {};               // their times are booked behind its own
  std::function<void(const KernelArguments&)> run;  // allocates nothing
};

struct Refusal {
  std::string reason;
};

struct Kernel {
  const OpDef* op;  // null: any elementwise op
  std::string_view name;
  std::variant<KernelPlan, Refusal> (*plan)(const KernelRequest& request, const CpuInfo& cpu);
};

using Planned = std::variant<KernelPlan, Refusal>;

// Every kernel but the reference; those of one op stand in their order.
std::span<const Kernel> all_kernels();

// Runs the op's reference, or its expansion's references, on views of the blocks.
KernelPlan reference_kernel(const KernelRequest& request);

struct ChosenKernel {
  std::string name;
  KernelPlan plan;
  std::vector<std::string> refusals;  // "name: reason", in order
};

ChosenKernel choose_kernel(const KernelRequest& request, const CpuInfo& cpu);

}  // namespace hornbeam
