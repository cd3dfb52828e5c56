// The cases of tests/golden, whose numbers Keras computed, and ways to run graphs against them.
#pragma once

#include <gtest/gtest.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "formats/npz.h"
#include "ir/graph.h"

namespace hornbeam::golden {

struct Case {
  std::string group;  // the folder: "layers"
  std::string name;
  Json description;
};
void PrintTo(const Case& golden, std::ostream* out);

std::vector<Case> cases(const std::string& group);
Json read_json(const std::string& path);  // below tests/golden
// The name with nothing but letters, digits and underscores.
std::string test_name(const testing::TestParamInfo<Case>& info);
// Whether a case has an object of that class under `key` of its description.
bool has_case(const std::string& group, const std::string& key, std::string_view class_name);

class Numbers {
 public:
  explicit Numbers(const Case& golden);
  Numbers(const std::string& group, const std::string& file);

  bool contains(const std::string& name) const { return file_.contains(name); }
  Tensor operator[](const std::string& name) const { return file_.read(name); }
  std::vector<Tensor> list(const std::string& prefix) const;  // PREFIX_0, PREFIX_1, …

 private:
  NpzReader file_;
};

// How a graph can be run: "interpreter", "cpu".
std::vector<std::string> runners();
std::vector<Tensor> run(const std::string& runner, const Graph& graph,
                        const std::vector<Tensor>& inputs);

Shape shape_of(const Json& json);
struct Tolerance {
  double relative = 1e-5, absolute = 4e-6;  // sums are added up in another order
};
// Same dtype and shape, and |received - expected| <= relative |expected| + absolute everywhere.
void expect_close(const Tensor& received, const Tensor& expected, const std::string& what,
                  Tolerance tolerance = {});

// What we write must be in what Keras writes, with the same values; policies of dtypes aside.
void expect_part_of(const Json& written, const Json& by_keras, const std::string& place);

}  // namespace hornbeam::golden
