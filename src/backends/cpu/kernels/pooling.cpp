#include "backends/cpu/kernels/pooling.h"

#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef HORNBEAM_POOLING_TYPES
#define HORNBEAM_POOLING_TYPES
namespace hornbeam {

// The part of a window inside the picture.
struct PoolingWindow {
  int64_t top, bottom, left, right;  // ends exclusive

  PoolingWindow(const Pooling& p, int64_t y, int64_t x) {
    const int64_t first = y * p.stride_height - p.padding_top;
    const int64_t begin = x * p.stride_width - p.padding_left;
    top = std::max<int64_t>(0, first), bottom = std::min(p.height, first + p.window_height);
    left = std::max<int64_t>(0, begin), right = std::min(p.width, begin + p.window_width);
  }
  int64_t pixels() const {
    return std::max<int64_t>(0, bottom - top) * std::max<int64_t>(0, right - left);
  }
};

// Channels [begin, end) of one picture.
struct PoolingPiece {
  int64_t picture, begin, end;
};

}  // namespace hornbeam
#endif

HWY_BEFORE_NAMESPACE();
namespace hornbeam {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls work(d, channel) for whole vectors, then for single channels.
template <class Work>
HWY_INLINE void for_channels(int64_t begin, int64_t end, const Work& work) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t c = begin;
  for (; c + lanes <= end; c += lanes) work(wide, c);
  for (; c < end; ++c) work(one, c);
}

// Calls visit(offset of the pixel) for the window's pixels in order.
template <class Visit>
HWY_INLINE void for_pixels(const Pooling& p, const PoolingWindow& w, const Visit& visit) {
  for (int64_t y = w.top; y < w.bottom; ++y)
    for (int64_t x = w.left; x < w.right; ++x) visit((y * p.width + x) * p.channels);
}

// Whether `value` replaces `best`: larger, or the first NaN.
template <class V>
HWY_INLINE auto replaces(V value, V best) {
  return hn::Or(hn::Gt(value, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(value)));
}

void max_line_vector(const Pooling& p, const float* picture, int64_t line, float* y) {
  for (int64_t x = 0; x < p.out_width(); ++x, y += p.channels) {
    const PoolingWindow window(p, line, x);
    for_channels(0, p.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto best = hn::Set(d, -std::numeric_limits<float>::infinity());
      for_pixels(p, window, [&](int64_t at) HWY_ATTR {
        const auto value = hn::LoadU(d, picture + at + c);
        best = hn::IfThenElse(replaces(value, best), value, best);
      });
      hn::StoreU(best, d, y + c);
    });
  }
}

void average_line_vector(const Pooling& p, const float* picture, int64_t line, float* y) {
  for (int64_t x = 0; x < p.out_width(); ++x, y += p.channels) {
    const PoolingWindow window(p, line, x);
    const float count = static_cast<float>(std::max<int64_t>(1, window.pixels()));
    for_channels(0, p.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      for_pixels(p, window,
                 [&](int64_t at) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, picture + at + c)); });
      hn::StoreU(hn::Div(sum, hn::Set(d, count)), d, y + c);
    });
  }
}

// Adds `gradient` where the window's first maximum is; `number` counts the pixels of the window.
template <class D>
HWY_INLINE void spread_max(D d, const Pooling& p, const PoolingWindow& window, const float* x,
                           const float* dy, float* dx) {
  auto best = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto first = hn::Zero(d);
  float number = 0;
  for_pixels(p, window, [&](int64_t at) HWY_ATTR {
    const auto value = hn::LoadU(d, x + at);
    const auto better = replaces(value, best);
    best = hn::IfThenElse(better, value, best);
    first = hn::IfThenElse(better, hn::Set(d, number), first);
    number += 1;
  });
  const auto gradient = hn::LoadU(d, dy);
  number = 0;
  for_pixels(p, window, [&](int64_t at) HWY_ATTR {
    const auto here = hn::Eq(first, hn::Set(d, number));
    hn::StoreU(hn::Add(hn::LoadU(d, dx + at), hn::IfThenElseZero(here, gradient)), d, dx + at);
    number += 1;
  });
}

void max_gradient_vector(const Pooling& p, const PoolingPiece& piece, const float* x,
                         const float* dy, float* dx) {
  for (int64_t i = 0; i < p.out_height(); ++i)
    for (int64_t j = 0; j < p.out_width(); ++j, dy += p.channels) {
      const PoolingWindow window(p, i, j);
      for_channels(piece.begin, piece.end, [&](auto d, int64_t c) HWY_ATTR {
        spread_max(d, p, window, x + c, dy + c, dx + c);
      });
    }
}

void average_gradient_vector(const Pooling& p, const PoolingPiece& piece, const float* dy,
                             float* dx) {
  for (int64_t i = 0; i < p.out_height(); ++i)
    for (int64_t j = 0; j < p.out_width(); ++j, dy += p.channels) {
      const PoolingWindow window(p, i, j);
      const float count = static_cast<float>(std::max<int64_t>(1, window.pixels()));
      for_channels(piece.begin, piece.end, [&](auto d, int64_t c) HWY_ATTR {
        const auto share = hn::Div(hn::LoadU(d, dy + c), hn::Set(d, count));
        for_pixels(p, window, [&](int64_t at) HWY_ATTR {
          hn::StoreU(hn::Add(hn::LoadU(d, dx + at + c), share), d, dx + at + c);
        });
      });
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hornbeam
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hornbeam {

HWY_EXPORT(max_line_vector);
HWY_EXPORT(average_line_vector);
HWY_EXPORT(max_gradient_vector);
HWY_EXPORT(average_gradient_vector);

namespace {

int64_t out_size(int64_t in, int64_t padding, int64_t window, int64_t stride) {
  return in + padding < window ? 0 : (in + padding - window) / stride + 1;
}

int64_t in_picture(const Pooling& p) { return p.height * p.width * p.channels; }
int64_t out_picture(const Pooling& p) { return p.out_height() * p.out_width() * p.channels; }

template <class Line>
void for_each_line(const Pooling& p, const float* x, float* y, ThreadPool& threads, Line&& line) {
  const int64_t lines = p.out_height();
  threads.run(p.batch * lines, [&](int64_t piece, int) {
    line(x + piece / lines * in_picture(p), piece % lines, y + piece * p.out_width() * p.channels);
  });
}

// Windows overlap, so a piece owns a picture, or some channels of it, and clears it first.
template <class Spread>
void for_each_piece(const Pooling& p, float* dx, ThreadPool& threads, Spread&& spread) {
  constexpr int64_t group = 32;
  const int64_t groups = divide_up(p.channels, group);
  threads.run(p.batch * groups, [&](int64_t number, int) {
    const int64_t begin = number % groups * group;
    const PoolingPiece piece{number / groups, begin, std::min(p.channels, begin + group)};
    float* picture = dx + piece.picture * in_picture(p);
    for (int64_t pixel = 0; pixel < p.height * p.width; ++pixel)
      std::fill(picture + pixel * p.channels + piece.begin,
                picture + pixel * p.channels + piece.end, 0.0f);
    spread(piece, picture);
  });
}

}  // namespace

int64_t Pooling::out_height() const {
  return out_size(height, padding_top + padding_bottom, window_height, stride_height);
}

int64_t Pooling::out_width() const {
  return out_size(width, padding_left + padding_right, window_width, stride_width);
}

void max_pooling(const Pooling& problem, const float* x, float* y, ThreadPool& threads) {
  for_each_line(problem, x, y, threads, [&](const float* picture, int64_t line, float* to) {
    HWY_DYNAMIC_DISPATCH(max_line_vector)(problem, picture, line, to);
  });
}

void average_pooling(const Pooling& problem, const float* x, float* y, ThreadPool& threads) {
  for_each_line(problem, x, y, threads, [&](const float* picture, int64_t line, float* to) {
    HWY_DYNAMIC_DISPATCH(average_line_vector)(problem, picture, line, to);
  });
}

void max_pooling_gradient(const Pooling& problem, const float* x, const float* dy, float* dx,
                          ThreadPool& threads) {
  for_each_piece(problem, dx, threads, [&](const PoolingPiece& piece, float* to) {
    HWY_DYNAMIC_DISPATCH(max_gradient_vector)
    (problem, piece, x + piece.picture * in_picture(problem),
     dy + piece.picture * out_picture(problem), to);
  });
}

void average_pooling_gradient(const Pooling& problem, const float* dy, float* dx,
                              ThreadPool& threads) {
  for_each_piece(problem, dx, threads, [&](const PoolingPiece& piece, float* to) {
    HWY_DYNAMIC_DISPATCH(average_gradient_vector)
    (problem, piece, dy + piece.picture * out_picture(problem), to);
  });
}

}  // namespace hornbeam
#endif  // HWY_ONCE
