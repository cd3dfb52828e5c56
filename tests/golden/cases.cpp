#include "golden/cases.h"

#include <algorithm>
#include <cctype>
#include <ostream>

#include "backends/backends.h"
#include "base/files.h"
#include "ir/interpret.h"
#include "ops/cases/op_case.h"
#include "run_on.h"

namespace hornbeam::golden {
namespace {

const std::string folder = HORNBEAM_GOLDEN;

}  // namespace

void PrintTo(const Case& golden, std::ostream* out) { *out << golden.group << "/" << golden.name; }

Json read_json(const std::string& path) { return parse_json(read_text(folder + path), path); }

std::vector<Case> cases(const std::string& group) {
  std::vector<Case> all;
  const Json table = read_json(group + "/cases.json");
  for (const Json& row : table.as_array()) all.push_back({group, row.at("name").as_text(), row});
  return all;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

bool has_case(const std::string& group, const std::string& key, std::string_view class_name) {
  return std::ranges::any_of(cases(group), [&](const Case& golden) {
    const Json& object = golden.description.at(key);
    return object.is_object() && object.at("class_name").as_text() == class_name;
  });
}

Numbers::Numbers(const Case& golden) : Numbers(golden.group, golden.name) {}

Numbers::Numbers(const std::string& group, const std::string& file)
    : file_(folder + group + "/" + file + ".npz") {}

std::vector<Tensor> Numbers::list(const std::string& prefix) const {
  std::vector<Tensor> all;
  for (std::string name = prefix + "_0"; contains(name);
       name = prefix + "_" + std::to_string(all.size()))
    all.push_back(file_.read(name));
  return all;
}

std::vector<std::string> runners() { return {"interpreter", "cpu"}; }

std::vector<Tensor> run(const std::string& runner, const Graph& graph,
                        const std::vector<Tensor>& inputs) {
  if (runner == "interpreter") return interpret(graph, inputs);
  return run_on(*make_backend(runner, {}), graph, inputs);
}

Shape shape_of(const Json& json) {
  std::vector<int64_t> extents;
  for (const Json& extent : json.as_array()) extents.push_back(extent.as_integer());
  return Shape(std::move(extents));
}

void expect_close(const Tensor& received, const Tensor& expected, const std::string& what,
                  Tolerance tolerance) {
  EXPECT_EQ(to_string(received.shape()), to_string(expected.shape())) << what;
  EXPECT_LE(op_cases::error(received, expected, tolerance.relative, tolerance.absolute), 1) << what;
}

void expect_part_of(const Json& written, const Json& by_keras, const std::string& place) {
  if (!written.is_object()) {
    EXPECT_EQ(json_text(written), json_text(by_keras)) << place;
    return;
  }
  for (const auto& [key, value] : written.as_object()) {
    const Json* theirs = by_keras.find(key);
    ASSERT_NE(theirs, nullptr) << place << " has no key " << key;
    if (key != "dtype") expect_part_of(value, *theirs, place + "/" + key);
  }
}

}  // namespace hornbeam::golden
