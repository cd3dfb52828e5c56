// What all Keras objects (layers, initializers, losses, …) have in common: a class name, fields,
// and a table by which their names are found.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/fields.h"

namespace hornbeam {

class KerasObject {
 public:
  virtual ~KerasObject() = default;
  virtual std::string_view class_name() const = 0;
  virtual void fields(Fields&) {}
};

// One class of a table: its name, other names it goes by, and how to make one with its defaults.
template <class Base>
struct ObjectRow {
  std::string_view class_name;
  std::vector<std::string_view> aliases;
  std::unique_ptr<Base> (*make)();
};

// What a table holds, for its messages ("layer"), and the Python module its classes are written
// with.
template <class Base>
struct ObjectTable {
  std::string_view what;
  std::string_view module;
  std::vector<ObjectRow<Base>> rows;
};

template <class Base, class Derived>
std::unique_ptr<Base> make_object() {
  return std::make_unique<Derived>();
}

// {"class_name", "config"} of a Keras 2 or 3 object, or a plain name.
struct ObjectForm {
  std::string name;
  Json config;  // null for a plain name
};
ObjectForm object_form(const Json& json, std::string_view what, const std::string& place);

// Throws H115 (H110 for layers) for a name that no row has, with the nearest right one.
[[noreturn]] void refuse_name(std::string_view name, std::string_view what,
                              const std::string& place, std::span<const std::string_view> known);
// Whether two names are the same but for case and underscores, as "GlorotUniform",
// "glorot_uniform".
bool same_name(std::string_view a, std::string_view b);

// The field `name`; an object without one is written with the name that Keras gives it.
void name_field(Fields& fields, std::string& name, std::string_view class_name);

void read_fields(KerasObject& object, const Json& config, const std::string& place);
Json config_of(const KerasObject& object);
Json object_json(const KerasObject& object, std::string_view module);

template <class Base>
std::unique_ptr<Base> make_by_name(const ObjectTable<Base>& table, std::string_view name,
                                   const std::string& place) {
  std::vector<std::string_view> known;
  for (const ObjectRow<Base>& row : table.rows) {
    if (same_name(row.class_name, name)) return row.make();
    for (std::string_view alias : row.aliases)
      if (alias == name) return row.make();
    known.push_back(row.class_name);
  }
  refuse_name(name, table.what, place, known);
}

template <class Base>
std::unique_ptr<Base> read_object(const ObjectTable<Base>& table, const Json& json,
                                  const std::string& place) {
  ObjectForm form = object_form(json, table.what, place);
  std::unique_ptr<Base> object = make_by_name(table, form.name, place);
  read_fields(*object, form.config, place + " (" + std::string(object->class_name()) + ")");
  return object;
}

// A field that holds an object of a table, or null.
template <class Base>
void object_field(Fields& fields, std::string_view key, std::shared_ptr<const Base>& value,
                  const ObjectTable<Base>& table) {
  fields.custom(
      key,
      [&](const Json& json) {
        value = json.is_null() ? nullptr
                               : std::shared_ptr<const Base>(read_object(
                                     table, json, fields.place() + ", " + std::string(key)));
      },
      [&] { return value == nullptr ? Json() : object_json(*value, table.module); });
}

}  // namespace hornbeam
