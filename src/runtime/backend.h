// The narrow waist between the training step and the hardware: a Backend turns a Graph into an
// Executable, which maps buffers to buffers. A backend knows graphs and ops, never layers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "runtime/memory_plan.h"
#include "runtime/profile.h"

namespace hornbeam {

// A block of memory of one device, in whatever layout the device likes.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual const Type& type() const = 0;
};
using Buffer = std::shared_ptr<DeviceBuffer>;

// One pass of the pipeline as it ran, for `inspect` and logs.
struct PassRecord {
  std::string name;
  double seconds = 0;
  size_t nodes = 0;  // of the graph after it
};

// What may be lost in products of float32 values (matrix products and convolutions), as XLA names
// it. Each allows what the ones before it allow.
enum class MatmulPrecision {
  highest,   // no less accurate than sums in float32
  high,      // relative L2 errors up to about 1e-6: Winograd's 4x4 tiles on the CPU
  standard,  // "default": what the device does fastest
};

struct CompileOptions {
  int replicas = 1;                          // equal slices of the batch
  std::vector<std::string> disabled_passes;  // switches, by name
  MatmulPrecision matmul_precision = MatmulPrecision::highest;
  // What the plan may need at its peak. A batch that needs more is run in microbatches when the
  // backend can; when even that does not fit, the executable is the smallest there is.
  int64_t memory_limit = INT64_MAX;
  // Input that the caller holds ready beside the graph's own; the plan counts it.
  int64_t staged_bytes = 0;
  bool verify = true;  // the graph after every pass
  // Called with the graph after every pass, when set.
  std::function<void(std::string_view pass, const Graph& graph)> dump;
};

class Executable {
 public:
  virtual ~Executable() = default;

  virtual const MemoryPlan& memory_plan() const = 0;
  virtual const std::vector<PassRecord>& passes() const = 0;
  // Which kernel took each node, in the order in which they run.
  virtual std::vector<KernelRecord> kernels() const = 0;
  // Every run from now on records its times there; null for none.
  virtual void record_times(Profile* profile) = 0;

  // Allocates everything that running needs. Called once, before the first run.
  virtual void prepare() = 0;
  // Runs the graph: inputs and outputs in the order of its ports. State inputs are donated: the
  // state outputs are the same buffers with the new values. Other outputs stay valid until another
  // run or prepare() of any executable of the backend, which may share their memory, or for
  // steps_ahead() runs. Nothing is allocated on the host's side of a step but where a plugin does.
  virtual void run(std::span<const Buffer> inputs, std::span<Buffer> outputs) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  // How many runs may have been started whose results nobody has read: the results of a run are
  // there, and stay what they are, until that many more were started.
  virtual int steps_ahead() const { return 0; }
  // That share the slices of a batch; they divide the replicas of every step.
  virtual int devices() const { return 1; }
  // Bytes that each device may use; nothing when that is what the machine has free.
  virtual std::optional<int64_t> own_memory() const { return {}; }
  virtual std::unique_ptr<Executable> compile(const Graph& graph,
                                              const CompileOptions& options) = 0;

  // Zero-filled. The role is that of the input that it will be: a batch is cut where there are
  // several devices, everything else is on all of them.
  virtual Buffer allocate(const Type& type, Role role) = 0;
  virtual void upload(const Tensor& tensor, DeviceBuffer& buffer) = 0;  // of equal type
  // Fills `part` with the row-major bytes of the buffer from the byte `first` on.
  virtual void download(const DeviceBuffer& buffer, int64_t first,
                        std::span<std::byte> part) const = 0;

  Buffer upload(const Tensor& tensor, Role role = Role::state);
  // Leaves the tensor empty: its numbers are not in memory twice.
  Buffer upload(Tensor&& tensor, Role role = Role::state);
  void download(const DeviceBuffer& buffer, Tensor& tensor) const;  // of equal type
  Tensor download(const Buffer& buffer) const;
};

}  // namespace hornbeam
