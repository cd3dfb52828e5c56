#include <cstdio>

#include "backends/cpu/kernels/convolution.h"
#include "bench.h"
#include "measure.h"
#include "onednn.h"

namespace hornbeam {
namespace {

struct Layer {
  const char* what;
  Convolution problem;
};

Convolution layer(int64_t batch, int64_t size, int64_t in, int64_t out, int64_t kernel,
                  int64_t stride, int64_t groups = 1) {
  const int64_t padding = kernel / 2;
  return {.batch = batch,
          .height = size,
          .width = size,
          .in_channels = in,
          .kernel_height = kernel,
          .kernel_width = kernel,
          .out_channels = out,
          .stride_height = stride,
          .stride_width = stride,
          .padding_top = padding,
          .padding_bottom = padding,
          .padding_left = padding,
          .padding_right = padding,
          .groups = groups};
}

constexpr const char* pass_names[] = {"forward", "to input", "to kernel"};

void measure(const Layer& layer, ConvolutionMethod method, ThreadPool& threads, double peak) {
  const Convolution& p = layer.problem;
  const int64_t outputs = p.batch * p.out_height() * p.out_width() * p.out_channels;
  const int64_t taps = p.kernel_height * p.kernel_width * p.in_channels / p.groups;
  const Floats input = random_block(p.batch * p.height * p.width * p.in_channels);
  const Floats kernel = random_block(taps * p.out_channels), output = random_block(outputs);
  std::printf("  %-24s %-12s", layer.what, std::string(name_of(method)).c_str());
  for (ConvolutionPass pass : {ConvolutionPass::forward, ConvolutionPass::gradient_to_input,
                               ConvolutionPass::gradient_to_kernel}) {
    if (!convolution_refusal(p, pass, method).empty()) continue;
    const Floats workspace =
        random_block(convolution_workspace(p, pass, method, threads.threads()) / 4);
    const auto ours = [&] {
      if (pass == ConvolutionPass::forward)
        convolution_forward(p, method, input.get(), kernel.get(), nullptr, output.get(),
                            workspace.get(), threads);
      else if (pass == ConvolutionPass::gradient_to_input)
        convolution_gradient_to_input(p, method, output.get(), kernel.get(), input.get(),
                                      workspace.get(), threads);
      else
        convolution_gradient_to_kernel(p, method, input.get(), output.get(), kernel.get(),
                                       workspace.get(), threads);
    };
    const std::function<void()> peer = onednn_convolution(p, pass, threads.threads());
    const auto [seconds, peer_seconds] = seconds_of_both(
        ours, peer ? peer : [] {});
    const double rate = 2e-9 * static_cast<double>(outputs * taps) / seconds;
    std::printf("  %s %8.2f ms %6.1f GF/s %.2f", pass_names[static_cast<int>(pass)], seconds * 1e3,
                rate, rate / peak);
    if (peer) std::printf(" (oneDNN's time over ours %.2f)", peer_seconds / seconds);
  }
  std::printf("\n");
}

}  // namespace

void bench_convolution(ThreadPool& threads) {
  const double peak = peak_gflops(threads);
  std::printf("convolution, %d thread(s); GF/s of the direct sum, over the peak of %.1f\n",
              threads.threads(), peak);
  const Layer layers[] = {{"3x3 3-96, 32x32", layer(64, 32, 3, 96, 3, 1)},
                          {"3x3 96-256, 16x16", layer(64, 16, 96, 256, 3, 1)},
                          {"3x3 256-384, 8x8", layer(64, 8, 256, 384, 3, 1)},
                          {"3x3 384-384, 8x8", layer(64, 8, 384, 384, 3, 1)},
                          {"3x3 384-256, 8x8", layer(64, 8, 384, 256, 3, 1)},
                          {"3x3 64-64, 56x56", layer(4, 56, 64, 64, 3, 1)},
                          {"3x3 64-128 stride 2", layer(8, 56, 64, 128, 3, 2)},
                          {"5x5 1-6, 28x28", layer(128, 28, 1, 6, 5, 1)},
                          {"5x5 6-16, 14x14", layer(128, 14, 6, 16, 5, 1)},
                          {"1x1 256-64, 16x16", layer(64, 16, 256, 64, 1, 1)},
                          {"3x3 128 depthwise", layer(16, 28, 128, 128, 3, 1, 128)}};
  for (const Layer& each : layers)
    for (ConvolutionMethod method : convolution_methods)
      if (convolution_refusal(each.problem, ConvolutionPass::forward, method).empty())
        measure(each, method, threads, peak);
}

}  // namespace hornbeam
