#include "nn/dtype_policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace hornbeam {
namespace {

// Null where the form names none.
const Json* name_in(const Json& form) {
  if (form.is_text()) return &form;
  const Json* config = form.is_object() ? form.find("config") : nullptr;
  const Json* name = config != nullptr && config->is_object() ? config->find("name") : nullptr;
  return name != nullptr && name->is_text() ? name : nullptr;
}

}  // namespace

const DTypePolicy* find_dtype_policy(std::string_view name) {
  auto found = std::ranges::find(dtype_policies, name, &DTypePolicy::name);
  return found == dtype_policies.end() ? nullptr : &*found;
}

void dtype_policy_field(Fields& fields, DTypePolicy& policy) {
  auto read = [&](const Json& form) {
    if (form.is_null()) return;
    const Json* name = name_in(form);
    const DTypePolicy* found = name == nullptr ? nullptr : find_dtype_policy(name->as_text());
    if (found == nullptr)
      fields.refuse("dtype", fmt::format("the policies that work are {}, received {}",
                                         dtype_policies_text, json_text(form)));
    policy = *found;
  };
  fields.custom("dtype", read, [&] { return Json(policy.name); });
}

}  // namespace hornbeam
