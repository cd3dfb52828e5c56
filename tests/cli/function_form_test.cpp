#include "cli/function_form.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hornbeam {
namespace {

struct Form {
  std::string text, json;
};

TEST(FunctionForm, IsWhatKerasWouldBeGiven) {
  const Form forms[] = {
      {"adam", R"("adam")"},
      {"Adam()", R"({"class_name": "Adam", "config": {}})"},
      {"Adam(learning_rate=1e-3)", R"({"class_name": "Adam", "config": {"learning_rate": 0.001}})"},
      {" SGD( learning_rate = 0.1 , nesterov=True )",
       R"({"class_name": "SGD", "config": {"learning_rate": 0.1, "nesterov": true}})"},
      {"Rescaling(scale=1/4, offset=-1)",
       R"({"class_name": "Rescaling", "config": {"scale": 0.25, "offset": -1}})"},
      {"Flatten(data_format=None)",
       R"({"class_name": "Flatten", "config": {"data_format": null}})"},
      {"A(b='it, is', c=max, d=\"x\")",
       R"({"class_name": "A", "config": {"b": "it, is", "c": "max", "d": "x"}})"},
      {"Resizing(size=[2, 3], inner=L2(l2=0.5))",
       R"({"class_name": "Resizing", "config": {"size": [2, 3], "inner": {"class_name": "L2", "config": {"l2": 0.5}}}})"},
  };
  for (const Form& form : forms)
    EXPECT_EQ(json_text(parse_function_form(form.text, "--x")), form.json) << form.text;
}

TEST(FunctionForm, RefusesWhatIsNoCall) {
  for (const char* text :
       {"", "Adam(", "Adam)", "Adam(1e-3)", "Adam(learning_rate=)", "Adam(=1)", "Adam(a=1 b=2)",
        "Adam(a=1))", "Adam(a='x)", "Adam(a=[1,)", "Adam(a=1/0)", "1", "(a=1)"}) {
    try {
      Json json = parse_function_form(text, "--optimizer");
      ADD_FAILURE() << text << " gave " << json_text(json);
    } catch (const Error& error) {
      EXPECT_EQ(error.code().name, "H302") << text;
      EXPECT_EQ(error.parts().place, "--optimizer") << text;
    }
  }
}

TEST(FunctionForm, IsBoundedInDepth) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "A(a=";
  EXPECT_THROW(parse_function_form(text, "--loss"), Error);
}

}  // namespace
}  // namespace hornbeam
