#include "onednn.h"

#ifdef HORNBEAM_BENCH_ONEDNN
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#endif

namespace hornbeam {

#ifdef HORNBEAM_BENCH_ONEDNN
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

struct Shapes {
  explicit Shapes(const Convolution& p)
      : input({p.batch, p.in_channels, p.height, p.width}),
        kernel({p.out_channels, p.in_channels, p.kernel_height, p.kernel_width}),
        output({p.batch, p.out_channels, p.out_height(), p.out_width()}),
        strides{p.stride_height, p.stride_width},
        dilation{p.dilation_height - 1, p.dilation_width - 1},
        low{p.padding_top, p.padding_left},
        high{p.padding_bottom, p.padding_right} {
    if (p.groups > 1)
      kernel = {p.groups, p.out_channels / p.groups, p.in_channels / p.groups, p.kernel_height,
                p.kernel_width};
  }
  static memory::desc any(const memory::dims& dims) {
    return {dims, memory::data_type::f32, memory::format_tag::any};
  }

  memory::dims input, kernel, output, strides, dilation, low, high;
};

// It stands for what a real step has: nothing is read before it was written.
memory zeros(const memory::desc& desc, const dnnl::engine& engine) {
  memory block(desc, engine);
  std::fill_n(static_cast<char*>(block.get_data_handle()), desc.get_size(), char{0});
  return block;
}

std::function<void()> runner(const dnnl::primitive& primitive, Arguments arguments,
                             const dnnl::engine& engine) {
  return [=, stream = std::make_shared<dnnl::stream>(engine)] {
    primitive.execute(*stream, arguments);
    stream->wait();
  };
}

}  // namespace

std::function<void()> onednn_convolution(const Convolution& problem, ConvolutionPass pass,
                                         int threads) {
  omp_set_num_threads(threads);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Shapes s(problem);
  const auto algorithm = dnnl::algorithm::convolution_auto;
  const auto input = Shapes::any(s.input), kernel = Shapes::any(s.kernel),
             output = Shapes::any(s.output);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, input, kernel, output, s.strides, s.dilation,
       s.low, s.high},
      engine);
  if (pass == ConvolutionPass::forward)
    return runner(dnnl::convolution_forward(forward),
                  {{DNNL_ARG_SRC, zeros(forward.src_desc(), engine)},
                   {DNNL_ARG_WEIGHTS, zeros(forward.weights_desc(), engine)},
                   {DNNL_ARG_DST, zeros(forward.dst_desc(), engine)}},
                  engine);
  if (pass == ConvolutionPass::gradient_to_input) {
    const dnnl::convolution_backward_data::primitive_desc to_input(
        {algorithm, input, kernel, output, s.strides, s.dilation, s.low, s.high}, engine, forward);
    return runner(dnnl::convolution_backward_data(to_input),
                  {{DNNL_ARG_DIFF_DST, zeros(to_input.diff_dst_desc(), engine)},
                   {DNNL_ARG_WEIGHTS, zeros(to_input.weights_desc(), engine)},
                   {DNNL_ARG_DIFF_SRC, zeros(to_input.diff_src_desc(), engine)}},
                  engine);
  }
  const dnnl::convolution_backward_weights::primitive_desc to_kernel(
      {algorithm, input, kernel, output, s.strides, s.dilation, s.low, s.high}, engine, forward);
  return runner(dnnl::convolution_backward_weights(to_kernel),
                {{DNNL_ARG_SRC, zeros(to_kernel.src_desc(), engine)},
                 {DNNL_ARG_DIFF_DST, zeros(to_kernel.diff_dst_desc(), engine)},
                 {DNNL_ARG_DIFF_WEIGHTS, zeros(to_kernel.diff_weights_desc(), engine)}},
                engine);
}
#else
std::function<void()> onednn_convolution(const Convolution&, ConvolutionPass, int) { return {}; }
#endif

}  // namespace hornbeam
