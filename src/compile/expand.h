// The expand pass: composites that the backend does not do whole become smaller ops.
#pragma once

#include "compile/pipeline.h"

namespace hornbeam {

// Replaces every composite that is not claimed by its expansion, down to core and claimed ops.
// Graphs inside nodes (bodies) are expanded too.
Graph expand(const Graph& graph, const Claims& claims);

}  // namespace hornbeam
