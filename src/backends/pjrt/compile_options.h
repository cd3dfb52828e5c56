// The options of a compilation as the bytes of XLA's CompileOptionsProto (xla/pjrt/proto), of which
// only the few fields below are ever written.
#pragma once

#include <string>

namespace hornbeam::pjrt {

// For `devices` devices that run the same program side by side.
std::string compile_options(int devices);

}  // namespace hornbeam::pjrt
