// This test program counts every operator new.
#pragma once

#include <cstdint>

namespace hornbeam {

int64_t counted_allocations();

}  // namespace hornbeam
