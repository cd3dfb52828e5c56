// The table of layers: the one place where their names are listed.
#include "nn/layer.h"
#include "nn/layers/basic.h"
#include "nn/layers/elementwise.h"
#include "nn/layers/normalization.h"
#include "nn/layers/picture.h"

namespace hornbeam {
namespace {

template <class T>
std::unique_ptr<Layer> maximum() {
  return std::make_unique<T>(true);
}
template <class T>
std::unique_ptr<Layer> average() {
  return std::make_unique<T>(false);
}

}  // namespace

const ObjectTable<Layer>& layers() {
  static const ObjectTable<Layer> table{
      "layer",
      "keras.layers",
      {
          {"InputLayer", {}, make_object<Layer, InputLayer>},
          {"Dense", {}, make_object<Layer, Dense>},
          {"Activation", {}, make_object<Layer, ActivationLayer>},
          {"Flatten", {}, make_object<Layer, Flatten>},
          {"Reshape", {}, make_object<Layer, Reshape>},
          {"Dropout", {}, make_object<Layer, Dropout>},
          {"Embedding", {}, make_object<Layer, Embedding>},
          {"Rescaling", {}, make_object<Layer, Rescaling>},
          {"Conv2D", {"Convolution2D"}, make_object<Layer, Conv2D>},
          {"MaxPooling2D", {"MaxPool2D"}, maximum<Pooling2D>},
          {"AveragePooling2D", {"AvgPool2D"}, average<Pooling2D>},
          {"GlobalMaxPooling2D", {"GlobalMaxPool2D"}, maximum<GlobalPooling2D>},
          {"GlobalAveragePooling2D", {"GlobalAvgPool2D"}, average<GlobalPooling2D>},
          {"ZeroPadding2D", {}, make_object<Layer, ZeroPadding2D>},
          {"BatchNormalization", {}, make_object<Layer, BatchNormalization>},
          {"ReLU", {}, make_object<Layer, ReLU>},
          {"LeakyReLU", {}, make_object<Layer, LeakyReLU>},
          {"ELU", {}, make_object<Layer, ELU>},
          {"Softmax", {}, make_object<Layer, Softmax>},
          {"Add", {}, make_add},
          {"Subtract", {}, make_subtract},
          {"Multiply", {}, make_multiply},
          {"Average", {}, make_average},
          {"Maximum", {}, make_maximum},
          {"Minimum", {}, make_minimum},
          {"Concatenate", {}, make_object<Layer, Concatenate>},
      }};
  return table;
}

}  // namespace hornbeam
