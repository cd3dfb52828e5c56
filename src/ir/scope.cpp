#include "ir/scope.h"

#include <array>

namespace hornbeam {
namespace {

constexpr std::string_view gradient = "gradient", optimizer = "optimizer";

// Whether `scope` is `first` or below it.
bool is_below(std::string_view scope, std::string_view first) {
  return scope.starts_with(first) && (scope.size() == first.size() || scope[first.size()] == '/');
}

std::string_view behind(std::string_view scope, std::string_view first) {
  return scope.substr(std::min(scope.size(), first.size() + 1));
}

std::string below(std::string_view first, std::string_view scope) {
  std::string path(first);
  return scope.empty() ? path : path.append("/").append(scope);
}

}  // namespace

std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, phases> names{"forward", "backward", "update"};
  return names[static_cast<size_t>(phase)];
}

Origin origin_of(std::string_view scope) {
  if (is_below(scope, gradient)) return {Phase::backward, behind(scope, gradient)};
  if (is_below(scope, optimizer)) return {Phase::update, behind(scope, optimizer)};
  return {Phase::forward, scope};
}

std::string gradient_scope(std::string_view scope) { return below(gradient, scope); }
std::string update_scope(std::string_view scope) { return below(optimizer, scope); }

}  // namespace hornbeam
