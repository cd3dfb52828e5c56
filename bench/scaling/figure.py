"""The figure of bench/scaling: one panel an axis, both axes logarithmic, as SVG. Lines differ in dash and mark as well as
in colour (those of Okabe and Ito), so that they are told apart in print and by the colour-blind."""
import math
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, TOP, GAP = 220, 200, 60, 40, 70
TIME, MEMORY, LINEAR = "#0072B2", "#D55E00", "#777777"


class Panel(NamedTuple):
    axis: str
    values: tuple
    times: tuple
    memories: tuple


class Scale:
    """Logarithmic, from the lowest to the highest decade that is touched."""

    def __init__(self, values, length):
        self.low, self.high, self.length = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))), length

    def __call__(self, value):
        return self.length * (math.log10(value) - self.low) / (self.high - self.low)

    def decades(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def text(x, y, content, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{content}</text>'


def line(points, color, dash):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>'


def circle(x, y):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{TIME}"/>'


def square(x, y):
    return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{MEMORY}"/>'


def grid(horizontal, vertical, left):
    parts = [f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#000"/>']
    for decade in vertical.decades():
        y = TOP + HEIGHT - vertical(decade)
        parts += [f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#ddd"/>', text(left - 6, y + 4, f"{decade:g}", "end")]
    for value in horizontal.decades():
        parts.append(text(left + horizontal(value), TOP + HEIGHT + 18, f"{value:g}"))
    return parts


def panel(each, vertical, left):
    horizontal = Scale(each.values, WIDTH)
    at = lambda value, measured: (left + horizontal(value), TOP + HEIGHT - vertical(measured))
    parts = grid(horizontal, vertical, left)
    parts.append(text(left + WIDTH / 2, TOP + HEIGHT + 38, each.axis))
    for series, color, dash, mark in ((each.times, TIME, "", circle), (each.memories, MEMORY, "7 3", square)):
        points = [at(value, measured) for value, measured in zip(each.values, series)]
        growth = each.values[-1] / each.values[0]
        parts.append(line([points[0], at(each.values[-1], series[0] * growth)], LINEAR, "2 3"))
        parts.append(line(points, color, dash))
        parts += [mark(*point) for point in points]
    return parts


def legend():
    entries = (("ms a step", TIME, "", circle), ("MiB planned", MEMORY, "7 3", square), ("linear", LINEAR, "2 3", None))
    parts, x = [], LEFT
    for name, color, dash, mark in entries:
        parts += [line([(x, 18), (x + 34, 18)], color, dash), text(x + 42, 22, name, "start")]
        parts += [mark(x + 17, 18)] if mark else []
        x += 160
    return parts


def figure(panels):
    measured = [number for each in panels for number in (*each.times, *each.memories)]
    linear = [series[0] * each.values[-1] / each.values[0] for each in panels for series in (each.times, each.memories)]
    vertical = Scale(measured + linear, HEIGHT)
    width, height = LEFT + len(panels) * (WIDTH + GAP), TOP + HEIGHT + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>', *legend()]
    for number, each in enumerate(panels):
        parts += panel(each, vertical, LEFT + number * (WIDTH + GAP))
    return "\n".join([*parts, "</svg>", ""])
