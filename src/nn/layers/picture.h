// Layers of pictures: convolution, pooling, padding. Inputs are (batch, height, width, channels),
// or (batch, channels, height, width) with data_format "channels_first".
#pragma once

#include "nn/layers/kernel.h"
#include "ops/ops.h"

namespace hornbeam {

// kernel (height, width, channels / groups, filters), bias (filters)
class Conv2D : public KernelLayer {
 public:
  int64_t filters = 0, groups = 1;
  std::vector<int64_t> kernel_size, strides{1, 1}, dilation_rate{1, 1};
  std::string padding = "valid", data_format = "channels_last";

  std::string_view class_name() const override { return "Conv2D"; }
  void fields(Fields& f) override;
  void build(std::span<const Shape> inputs) override;
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

// Max and average pooling over windows.
class Pooling2D : public Layer {
 public:
  explicit Pooling2D(bool is_maximum) : maximum(is_maximum) {}
  bool maximum;
  std::vector<int64_t> pool_size{2, 2}, strides;  // strides: the pool size when empty
  std::string padding = "valid", data_format = "channels_last";

  std::string_view class_name() const override {
    return maximum ? "MaxPooling2D" : "AveragePooling2D";
  }
  void fields(Fields& f) override;
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class GlobalPooling2D : public Layer {
 public:
  explicit GlobalPooling2D(bool is_maximum) : maximum(is_maximum) {}
  bool maximum;
  std::string data_format = "channels_last";
  bool keepdims = false;

  std::string_view class_name() const override {
    return maximum ? "GlobalMaxPooling2D" : "GlobalAveragePooling2D";
  }
  void fields(Fields& f) override;
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

class ZeroPadding2D : public Layer {
 public:
  std::vector<int64_t> rows{1, 1}, columns{1, 1};  // before and after
  std::string data_format = "channels_last";

  std::string_view class_name() const override { return "ZeroPadding2D"; }
  void fields(Fields& f) override;
  bool keeps_integers() const override { return true; }
  Exprs call(Trace& trace, std::span<const Expr> inputs) override;
};

}  // namespace hornbeam
