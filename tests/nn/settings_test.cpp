// Configurations: what is accepted from other versions of Keras, and what is refused and how.
#include <gtest/gtest.h>

#include "nn/layers/basic.h"
#include "nn/made_models.h"
#include "nn/object.h"

namespace hornbeam {
namespace {

// --- accepted ---

// TensorFlow 1 writes a dtype into every initializer.
TEST(Initializers, AcceptTheDtypeOfOldFiles) {
  for (const auto& row : initializers().rows) {
    auto object = row.make();
    EXPECT_NO_THROW(read_fields(*object, parse_json(R"({"dtype": "float32"})", ""), ""))
        << row.class_name;
    EXPECT_EQ(config_of(*object).find("dtype"), nullptr);
  }
}

TEST(InputLayer, WritesWhatItRead) {
  for (const char* shape : {"[null, 3, null]", "[null]", "null"}) {
    std::string config = R"({"name": "x", "batch_shape": )" + std::string(shape) + "}";
    EXPECT_EQ(json_text(config_of(*layer_of("InputLayer", config)).at("batch_shape")), shape);
  }
}

TEST(InputLayer, WithoutAShapeWritesNone) {
  EXPECT_TRUE(config_of(InputLayer()).at("batch_shape").is_null());
}

TEST(Activation, HasTheNameThatKerasWrites) {
  EXPECT_EQ(Activation("swish").name(), "silu");
  EXPECT_EQ(Activation("hard_swish").name(), "hard_silu");
  EXPECT_EQ(Activation("relu").name(), "relu");
}

TEST(Activation, IsReadFromAllForms) {
  for (const char* form :
       {R"("relu")", R"({"class_name": "relu", "config": {}})",
        R"({"module": "builtins", "class_name": "function", "config": "relu"})"}) {
    auto layer = layer_of("Activation", R"({"activation": )" + std::string(form) + "}");
    EXPECT_EQ(config_of(*layer).at("activation"), Json("relu")) << form;
  }
}

// --- refused ---

struct Refusal {
  const char* name;
  const char* class_name;
  const char* config;
  const char* code;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

const Refusal refusals[] = {
    {"relu_threshold", "ReLU", R"({"threshold": -1.0})", "H111",
     "'threshold': expected 0 or more, received -1"},
    {"relu_slope", "ReLU", R"({"negative_slope": -0.5})", "H111",
     "'negative_slope': expected 0 or more, received -0.5"},
    {"relu_max_value", "ReLU", R"({"max_value": -2})", "H111",
     "'max_value': expected 0 or more, received -2"},
    {"leaky_relu_slope", "LeakyReLU", R"({"negative_slope": -0.5})", "H111",
     "'negative_slope': expected 0 or more, received -0.5"},
    {"input_extent", "InputLayer", R"({"batch_shape": [null, -5]})", "H111",
     "'batch_shape': expected extents or null, received [null, -5]"},
    {"input_without_batch", "InputLayer", R"({"batch_shape": []})", "H111",
     "'batch_shape': expected a batch axis"},
    {"activation_with_settings", "Dense",
     R"({"units": 1, "activation": {"class_name": "LeakyReLU", "config": {"negative_slope": 0.1}}})",
     "H111",
     "'activation': LeakyReLU has settings of its own; only the name of an activation is supported "
     "here, so use a layer behind this one"},
    {"unknown_activation", "Dense", R"({"units": 1, "activation": "rellu"})", "H115",
     "unknown activation 'rellu'"},
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheReason) {
  try {
    layer_of(GetParam().class_name, GetParam().config);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, GetParam().code);
    EXPECT_EQ(error.parts().message, GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, Refused, testing::ValuesIn(refusals),
                         [](const auto& test) { return std::string(test.param.name); });

// --- refused once the shapes are known ---

std::string shape_message(const std::string& layer_config, const std::string& batch_shape) {
  MadeModel make;
  TensorRef x = make.input("x", batch_shape);
  TensorRef y = make.call("Reshape", R"({"target_shape": )" + layer_config + "}", {x});
  try {
    make.done({y});
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name, "H114");
    return error.parts().message;
  }
  return "";
}

TEST(Reshape, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(shape_message("[2, -1]", "[null, 6]"), "");
  EXPECT_EQ(shape_message("[4, -1]", "[null, 6]"),
            "the target shape (4, -1) does not fit 6 elements a sample");
  EXPECT_EQ(shape_message("[0, -1]", "[null, 0]"),
            "the target shape (0, -1) does not fit 0 elements a sample");
  EXPECT_EQ(shape_message("[2, -1, -1]", "[null, 6]"), "shape (2, 1, -1) has a negative extent");
  EXPECT_EQ(shape_message("[-2, -3]", "[null, 6]"), "shape (-2, -3) has a negative extent");
  EXPECT_EQ(shape_message("[4294967296, 4294967296]", "[null, 6]"),
            "shape (4294967296, 4294967296) has too many elements");
}

}  // namespace
}  // namespace hornbeam
