// Configurations: what is accepted from other versions of Keras, and what is refused and how.
#include <gtest/gtest.h>

#include "nn/layers/basic.h"
#include "nn/loss.h"
#include "nn/made_models.h"
#include "nn/metric.h"
#include "nn/names.h"
#include "nn/optimizer.h"

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

// Keras 2 writes "auto".
TEST(Loss, HasTheReductionsOfAllVersions) {
  auto reduction = [](const char* text) {
    return loss_by_name(
               parse_json(R"({"class_name": "MeanSquaredError", "config": {"reduction": ")" +
                              std::string(text) + "\"}}",
                          ""),
               "test")
        ->reduction();
  };
  EXPECT_EQ(reduction("auto"), Reduction::mean);
  EXPECT_EQ(reduction("sum_over_batch_size"), Reduction::mean);
  EXPECT_EQ(reduction("sum"), Reduction::sum);
  EXPECT_EQ(reduction("mean_with_sample_weight"), Reduction::mean_with_sample_weight);
}

// As Keras 3.15 names an object that was given no name.
TEST(Names, AreThoseThatKerasGives) {
  EXPECT_EQ(snake_case("Conv2D"), "conv2d");
  EXPECT_EQ(snake_case("MaxPooling2D"), "max_pooling2d");
  EXPECT_EQ(snake_case("BatchNormalization"), "batch_normalization");
  EXPECT_EQ(snake_case("PReLU"), "p_re_lu");
  EXPECT_EQ(snake_case("ReLU"), "re_lu");
  EXPECT_EQ(snake_case("LSTM"), "lstm");
  EXPECT_EQ(snake_case("RMSprop"), "rm_sprop");
  EXPECT_EQ(snake_case("AdamW"), "adam_w");
  EXPECT_EQ(snake_case("SGD"), "sgd");
  AutomaticNames names;
  EXPECT_EQ(names("Dense"), "dense");
  EXPECT_EQ(names("ReLU"), "re_lu");
  EXPECT_EQ(names("Dense"), "dense_1");
  EXPECT_EQ(config_of(*optimizer_by_name("rmsprop", "")).at("name"), Json("rm_sprop"));
  EXPECT_EQ(config_of(*loss_by_name("mse", "")).at("name"), Json("mean_squared_error"));
}

// --- refused ---

struct Refusal {
  const char* name;
  void (*read)(const Json& object);
  const char* class_name;
  const char* config;
  const char* code;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

void layer(const Json& object) {
  make_layer(object.at("class_name").as_text(), object.at("config"), "model");
}
void initializer_object(const Json& object) { read_object(initializers(), object, "test"); }
void regularizer(const Json& object) { read_object(regularizers(), object, "test"); }
void optimizer(const Json& object) { optimizer_by_name(object, "test"); }
void loss(const Json& object) { loss_by_name(object, "test"); }
void metric(const Json& object) { metric_by_name(object, {1}, {1}, "test"); }

const Refusal refusals[] = {
    {"relu_threshold", layer, "ReLU", R"({"threshold": -1.0})", "H111",
     "'threshold': expected 0 or more, received -1"},
    {"relu_slope", layer, "ReLU", R"({"negative_slope": -0.5})", "H111",
     "'negative_slope': expected 0 or more, received -0.5"},
    {"relu_max_value", layer, "ReLU", R"({"max_value": -2})", "H111",
     "'max_value': expected 0 or more, received -2"},
    {"leaky_relu_slope", layer, "LeakyReLU", R"({"negative_slope": -0.5})", "H111",
     "'negative_slope': expected 0 or more, received -0.5"},
    {"input_extent", layer, "InputLayer", R"({"batch_shape": [null, -5]})", "H111",
     "'batch_shape': expected extents or null, received [null, -5]"},
    {"input_without_batch", layer, "InputLayer", R"({"batch_shape": []})", "H111",
     "'batch_shape': expected a batch axis"},
    {"activation_with_settings", layer, "Dense",
     R"({"units": 1, "activation": {"class_name": "LeakyReLU", "config": {"negative_slope": 0.1}}})",
     "H111",
     "'activation': LeakyReLU has settings of its own; only the name of an activation is supported "
     "here, so use a layer behind this one"},
    {"unknown_activation", layer, "Dense", R"({"units": 1, "activation": "rellu"})", "H115",
     "unknown activation 'rellu'"},
    {"strides_and_dilation", layer, "Conv2D",
     R"({"filters": 1, "kernel_size": 3, "strides": 2, "dilation_rate": 2})", "H111",
     "'strides': strides above 1 cannot be combined with dilation_rate above 1"},
    {"no_scale", initializer_object, "VarianceScaling", R"({"scale": 0.0})", "H111",
     "'scale': expected more than 0, received 0"},
    {"unknown_mode", initializer_object, "VarianceScaling", R"({"mode": "fan"})", "H111",
     "'mode': expected fan_in, fan_out or fan_avg, received fan"},
    {"unknown_distribution", initializer_object, "VarianceScaling", R"({"distribution": "cauchy"})",
     "H111",
     "'distribution': expected uniform, truncated_normal or untruncated_normal, received cauchy"},
    {"negative_penalty", regularizer, "L1L2", R"({"l1": 0.1, "l2": -0.1})", "H111",
     "'l2': expected 0 or more, received -0.1"},
    {"negative_momentum", optimizer, "SGD", R"({"momentum": -0.1})", "H111",
     "'momentum': expected 0 to 1, received -0.1"},
    {"large_momentum", optimizer, "SGD", R"({"momentum": 1.5})", "H111",
     "'momentum': expected 0 to 1, received 1.5"},
    {"adamw_without_decay", optimizer, "AdamW", R"({"weight_decay": null})", "H111",
     "'weight_decay': AdamW needs a number, received null"},
    {"moving_averages", optimizer, "Adam", R"({"use_ema": true})", "H111",
     "'use_ema': the value true is not supported"},
    {"loss_scale", optimizer, "Adam", R"({"loss_scale_factor": 2.0})", "H111",
     "'loss_scale_factor': the value 2.0 is not supported"},
    {"accumulation", optimizer, "Adam", R"({"gradient_accumulation_steps": 4})", "H111",
     "'gradient_accumulation_steps': the value 4 is not supported"},
    {"two_clippings", optimizer, "SGD", R"({"clipnorm": 1.0, "clipvalue": 1.0})", "H111",
     "'clipnorm': only one of clipnorm, global_clipnorm and clipvalue can be set"},
    {"unknown_optimizer", optimizer, "Adamm", "{}", "H115", "unknown optimizer 'Adamm'"},
    {"no_reduction", loss, "MeanSquaredError", R"({"reduction": "none"})", "H111",
     "'reduction': expected sum_over_batch_size, sum or mean_with_sample_weight, received "
     "\"none\""},
    {"null_reduction", loss, "MeanSquaredError", R"({"reduction": null})", "H111",
     "'reduction': expected sum_over_batch_size, sum or mean_with_sample_weight, received null"},
    {"unknown_loss", loss, "MeanSquareError", "{}", "H115", "unknown loss 'MeanSquareError'"},
    {"unknown_metric_key", metric, "BinaryAccuracy", R"({"treshold": 0.3})", "H111",
     "unknown key 'treshold' = 0.3"},
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheReason) {
  try {
    GetParam().read(Json::object({{"class_name", GetParam().class_name},
                                  {"config", parse_json(GetParam().config, "test")}}));
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
