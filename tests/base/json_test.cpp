#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace hornbeam {
namespace {

// What Python's json.dumps(json.loads(text)) gives.
TEST(Json, ReadsAndWritesAsPythonDoes) {
  for (std::string_view text :
       {R"({"b": [1, 1.0, -2, 0.001, null, true, "x"], "a": {}, "c": []})", "[]", "\"\\u00e9\"",
        "9223372036854775807", "18446744073709551615", "1e-07"})
    EXPECT_EQ(json_text(parse_json(text, "test")), text);
  EXPECT_EQ(json_text(parse_json("{\"a\":1,\"a\":2}", "test")), "{\"a\": 2}");
}

TEST(Json, IsStrictForOtherPrograms) {
  Json value(Json::Array{NAN, INFINITY, -INFINITY, 0.5});
  EXPECT_EQ(json_text(value), "[NaN, Infinity, -Infinity, 0.5]");
  EXPECT_EQ(strict_json_text(value), "[null, null, null, 0.5]");
}

TEST(Json, RefusesDamagedText) {
  for (const std::string& text :
       std::vector<std::string>{"", "{", "[1,]", "{\"a\" 1}", "\"", "nul", std::string(100000, '['),
                                "\"\xff\"", "[1] 2"})
    EXPECT_THROW(parse_json(text, "test"), Error) << text.substr(0, 20);
}

TEST(Json, SaysWhatItIsInstead) {
  Json value = parse_json("{\"units\": \"many\", \"whole\": 2.0}", "test");
  EXPECT_EQ(value.at("whole").as_integer(), 2);
  try {
    value.at("units").as_integer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().message, "expected a whole number, received text \"many\"");
  }
  EXPECT_THROW(value.at("missing"), Error);
  EXPECT_EQ(value.find("missing"), nullptr);
}

}  // namespace
}  // namespace hornbeam
