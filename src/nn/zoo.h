// The models that come with the program.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "nn/model.h"

namespace hornbeam {

struct ZooEntry {
  std::string_view name, summary;
  std::shared_ptr<Model> (*make)();  // built, without weights
};

std::span<const ZooEntry> zoo();
std::shared_ptr<Model> zoo_model(std::string_view name);  // H115

}  // namespace hornbeam
