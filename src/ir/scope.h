// What a node was built for, as its scope says it: "conv_1" for the layer itself,
// "gradient/conv_1" for its gradients, "optimizer/conv_1" for the update of its weights.
#pragma once

#include <string>
#include <string_view>

namespace hornbeam {

enum class Phase { forward, backward, update };
inline constexpr size_t phases = 3;
std::string_view name_of(Phase phase);

struct Origin {
  Phase phase = Phase::forward;
  std::string_view layer;  // its path; empty for what belongs to the step as a whole
};

Origin origin_of(std::string_view scope);

// The scope of what is built in a later phase for what has this scope.
std::string gradient_scope(std::string_view scope);
std::string update_scope(std::string_view scope);

}  // namespace hornbeam
