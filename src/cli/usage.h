// Wrong values of options, with the names that could have been meant.
#pragma once

#include <string>

#include "base/error.h"
#include "nn/object.h"

namespace hornbeam {

// What to write instead: the nearest name of the table or all of them; for a wrong key, the keys
// of that class. `more` are names that stand in no table.
template <class Base>
std::string names_help(const ObjectTable<Base>& table, const Json& form,
                       std::vector<std::string_view> more = {});

// Runs `work`, whose input is the value of an option. What would be a fault of a file (exit code 3)
// is wrong use of the program then (H302); `help` says what to write where the fault does not.
template <class Work, class Help>
auto as_value_of(const std::string& option, Work work, Help help) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code().exit != Exit::input) throw;
    ErrorParts parts = error.at(option).parts();
    if (parts.help.empty()) parts.help = help();
    throw Error("H302", std::move(parts));
  }
}

// The part of names_help that is the same for all tables.
std::string nearest_or_all(std::string_view name, std::vector<std::string_view> classes,
                           const std::vector<std::string_view>& aliases);
std::string keys_text(std::string_view class_name, const Json& config);

template <class Base>
std::string names_help(const ObjectTable<Base>& table, const Json& form,
                       std::vector<std::string_view> more) {
  std::string name = object_form(form, table.what, "").name;
  std::vector<std::string_view> classes = more;
  for (const ObjectRow<Base>& row : table.rows) {
    if (same_name(row.class_name, name)) return keys_text(row.class_name, config_of(*row.make()));
    classes.push_back(row.class_name);
    more.insert(more.end(), row.aliases.begin(), row.aliases.end());
  }
  return nearest_or_all(name, std::move(classes), more);
}

}  // namespace hornbeam
