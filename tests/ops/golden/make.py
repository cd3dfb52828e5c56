"""Makes the *.json beside it with Keras 3 on JAX: KERAS_BACKEND=jax python make.py [FAMILY…]

A name here is the name of a row in ../cases/<family>.cpp, which builds the same thing."""

import sys

import jax
import jax.numpy as jnp
import keras
import numpy as np
from case_file import Cases
from jax.extend.random import threefry_2x32

FLOAT = np.float32


def activations():
    cases = Cases("activations")
    # The points of the kinks are among them, and large ones that overflow an exponential.
    x = np.array([-100, -20, -6, -3, -2, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 2, 3, 4, 5.5, 6, 7, 20, 100],
                 FLOAT)
    act = keras.activations
    plain = ["relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "softplus", "softsign", "silu",
             "mish", "log_sigmoid", "hard_sigmoid", "hard_silu", "hard_tanh", "tanh_shrink", "soft_shrink",
             "hard_shrink", "squareplus", "sparse_plus", "sparse_sigmoid"]
    for name in plain:
        cases.add(name, getattr(act, name), x)
    cases.add("leaky_relu_0.3", lambda x: act.leaky_relu(x, negative_slope=0.3), x)
    cases.add("elu_0.5", lambda x: act.elu(x, alpha=0.5), x)
    cases.add("celu_2", lambda x: act.celu(x, alpha=2.0), x)
    cases.add("erf", keras.ops.erf, x)
    cases.add("gelu_approximate", lambda x: act.gelu(x, approximate=True), x)
    cases.add("soft_shrink_1", lambda x: act.soft_shrink(x, threshold=1.0), x)
    cases.add("hard_shrink_1", lambda x: act.hard_shrink(x, threshold=1.0), x)
    cases.add("squareplus_1", lambda x: act.squareplus(x, b=1), x)
    cases.add("threshold", lambda x: act.threshold(x, 1.0, -2.0), x)
    large = np.array([[1000, 0, -1000], [-1000, -1001, -1003]], FLOAT)
    for name, function in (("softmax", act.softmax), ("log_softmax", act.log_softmax)):
        cases.add(name, function, cases.numbers(3, 4))
        cases.add(name + "_axis_1", lambda x, f=function: f(x, axis=1), cases.numbers(2, 3, 4))
        cases.add(name + "_large", function, large)
    cases.save()


def losses():
    cases = Cases("losses")
    loss = keras.losses
    target = np.array([[0, 1, 1], [1, 0, 1]], FLOAT)
    probability = np.array([[0.1, 0.7, 0.2], [0.5, 0.25, 0.25]], FLOAT)
    logits = np.array([[1, 2, -1], [0, -1000, 1000]], FLOAT)
    binary = loss.binary_crossentropy
    cases.add("binary", binary, target, probability)
    cases.add("binary_smoothed", lambda t, p: binary(t, p, label_smoothing=0.2), target, probability)
    # 0 and 1 are clipped; 1e-7 is the bound itself.
    edge_targets = np.array([[1], [1], [0], [0], [0], [1]], FLOAT)
    edges = np.array([[0], [0.9999999], [0.9999999], [1e-7], [1], [1]], FLOAT)
    cases.add("binary_edges", binary, edge_targets, edges)
    cases.add("binary_logits", lambda t, p: binary(t, p, from_logits=True), target, logits)
    cases.add("binary_logits_smoothed", lambda t, p: binary(t, p, from_logits=True, label_smoothing=0.2),
              target, logits)
    categorical = loss.categorical_crossentropy
    one_hot = np.array([[0, 1, 0], [1, 0, 0]], FLOAT)
    unnormalized = np.array([[0.1, 0.9, 0.2], [1, 0.25, 0.5]], FLOAT)
    saturated = np.array([[1, 0, 0], [1, 0, 0]], FLOAT)
    categorical_logits = np.array([[1, 2, -1], [1000, 0, 1000]], FLOAT)
    cases.add("categorical", categorical, one_hot, unnormalized)
    cases.add("categorical_edges", categorical, one_hot, saturated)
    cases.add("categorical_smoothed", lambda t, p: categorical(t, p, label_smoothing=0.1), one_hot,
              probability)
    cases.add("categorical_logits", lambda t, p: categorical(t, p, from_logits=True), one_hot,
              categorical_logits)
    cases.add("categorical_logits_smoothed",
              lambda t, p: categorical(t, p, from_logits=True, label_smoothing=0.1), one_hot,
              probability)
    sparse = loss.sparse_categorical_crossentropy
    classes = np.array([1, 0], np.int32)
    cases.add("sparse", sparse, classes, unnormalized)
    cases.add("sparse_edges", sparse, classes, saturated)
    cases.add("sparse_logits", lambda t, p: sparse(t, p, from_logits=True), classes,
              np.array([[1000, 0, -3], [0, 1, 2]], FLOAT))
    cases.add("sparse_rows", lambda t, p: sparse(t, p, from_logits=True),
              np.array([[1, 0, 3], [2, 2, 0]], np.int64), cases.numbers(2, 3, 4))
    t, p = cases.numbers(3, 4), cases.numbers(3, 4)
    p[0, 0] = t[0, 0]  # the kink of the absolute error
    cases.add("squared", loss.mean_squared_error, t, p)
    cases.add("absolute", loss.mean_absolute_error, t, p)
    cases.save()


def conv():
    cases = Cases("conv")

    def add(name, x_shape, kernel_shape, strides, padding, dilation=None, groups=1, first=False):
        spatial = "DHW"[-len(strides):]
        numbers = ("NC" + spatial if first else "N" + spatial + "C", spatial + "IO")
        compute = lambda x, k: jax.lax.conv_general_dilated(
            x, k, strides, padding, rhs_dilation=dilation, feature_group_count=groups,
            dimension_numbers=(*numbers, numbers[0]), precision="highest")
        cases.add(name, compute, cases.numbers(*x_shape), cases.numbers(*kernel_shape))

    add("valid_1d", (2, 7, 3), (3, 3, 2), (1,), "VALID")
    add("same_1d_even_kernel", (1, 5, 1), (4, 1, 1), (1,), "SAME")
    add("same_1d_dilated", (1, 5, 2), (3, 2, 2), (1,), "SAME", (2,))
    add("causal_1d_dilated", (1, 5, 2), (3, 2, 2), (1,), [(4, 0)], (2,))
    add("valid_2d", (2, 4, 5, 2), (3, 2, 2, 3), (1, 1), "VALID")
    add("valid_2d_strided", (1, 7, 7, 2), (3, 2, 2, 2), (2, 3), "VALID")
    add("valid_2d_leftover", (1, 8, 7, 1), (3, 2, 1, 2), (3, 3), "VALID")
    add("pointwise_2d_strided", (1, 5, 4, 3), (1, 1, 3, 2), (2, 2), "SAME")
    add("same_2d_strided", (1, 5, 4, 2), (3, 3, 2, 2), (2, 2), "SAME")
    add("same_2d_channels_first", (2, 2, 5, 4), (3, 2, 2, 3), (2, 1), "SAME", first=True)
    add("same_2d_dilated", (1, 6, 7, 1), (3, 2, 1, 2), (1, 1), "SAME", (2, 3))
    add("same_2d_groups", (1, 4, 4, 4), (3, 3, 2, 6), (1, 1), "SAME", groups=2)
    add("same_2d_groups_first", (2, 4, 5, 4), (2, 3, 2, 2), (2, 2), "SAME", groups=2, first=True)
    add("same_2d_depthwise", (1, 4, 4, 3), (3, 3, 1, 6), (1, 1), "SAME", groups=3)
    add("padded_2d_beyond_kernel", (1, 4, 3, 1), (2, 2, 1, 2), (2, 1), [(3, 1), (2, 4)])
    add("same_3d_strided", (1, 3, 4, 5, 2), (2, 3, 2, 2, 2), (1, 2, 2), "SAME")

    def with_bias(name, x_shape, kernel_shape, data_format):
        numbers = "NHWC" if data_format == "channels_last" else "NCHW"
        along = (-1, 1, 1) if numbers == "NCHW" else (-1,)
        compute = lambda x, k, b: jax.lax.conv_general_dilated(
            x, k, (1, 1), "SAME", dimension_numbers=(numbers, "HWIO", numbers), precision="highest") + b.reshape(along)
        cases.add(name, compute, cases.numbers(*x_shape), cases.numbers(*kernel_shape), cases.numbers(kernel_shape[-1]))

    with_bias("bias_2d", (2, 4, 3, 2), (3, 3, 2, 3), "channels_last")
    with_bias("bias_2d_channels_first", (2, 2, 4, 3), (3, 3, 2, 3), "channels_first")
    cases.save()


def pool():
    cases = Cases("pool")

    def add(name, x, window, strides, padding, first=False):
        options = dict(strides=strides, padding=padding,
                       data_format="channels_first" if first else "channels_last")
        compute = lambda x: (keras.ops.max_pool(x, window, **options),
                             keras.ops.average_pool(x, window, **options))
        cases.add(name, compute, x)

    def picture(*shape):
        """Distinct numbers: where the largest is shall be clear."""
        count = int(np.prod(shape))
        return (cases.random.permutation(count).reshape(shape) / 8 - count / 16).astype(FLOAT)

    add("valid_1d", picture(2, 5, 2), (2,), (2,), "valid")
    add("same_1d", np.arange(1, 6, dtype=FLOAT).reshape(1, 5, 1), (2,), (2,), "same")
    add("valid_2d", picture(2, 4, 6, 2), (2, 2), (2, 2), "valid")
    add("valid_2d_overlapping", picture(1, 7, 5, 2), (3, 3), (2, 2), "valid")
    add("valid_2d_gaps", picture(1, 7, 8, 1), (1, 2), (3, 3), "valid")
    add("same_2d", picture(1, 5, 3, 2), (2, 2), (2, 2), "same")
    add("same_2d_wide", picture(1, 4, 4, 1), (3, 3), (1, 1), "same")
    add("same_2d_channels_first", picture(2, 2, 5, 4), (3, 2), (2, 1), "same", first=True)
    add("ties_2d", np.array([0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0], FLOAT).reshape(1, 3, 4, 1), (2, 2), (1, 1),
        "valid")
    add("same_3d", picture(1, 3, 4, 3, 2), (2, 2, 2), (2, 1, 2), "same")
    cases.save()


def normalization():
    cases = Cases("normalization")
    normalize = keras.ops.batch_normalization

    def training(x, gamma, beta, valid, axis):
        real = x[: int(valid)]
        mean, variance = keras.ops.moments(real, [a for a in range(x.ndim) if a != axis])
        return normalize(x, mean, variance, axis, beta, gamma, 1e-3), mean, variance

    def add(name, x, axis, valid, statistics):
        """A loss depends on the valid samples alone, and with `statistics` on these too."""
        axis %= x.ndim
        gamma, beta = cases.numbers(x.shape[axis]), cases.numbers(x.shape[axis])
        seed = cases.numbers(*x.shape)
        seed[valid:] = 0
        seeds = [seed, *(cases.numbers(x.shape[axis]) if statistics else None for _ in range(2))]
        cases.add(name, lambda x, g, b, v: training(x, g, b, valid, axis), x, gamma, beta,
                  np.int32(valid), seeds=seeds)

    add("training_rows", cases.numbers(5, 3), -1, 5, True)
    add("training_pictures", cases.numbers(2, 3, 2, 2), 3, 2, False)
    add("training_pictures_first", cases.numbers(2, 2, 3, 2), 1, 2, True)
    add("training_part", cases.numbers(5, 2, 3), -1, 3, True)
    add("training_far_from_zero", cases.numbers(6, 2) + FLOAT(1000), -1, 6, False)
    add("training_one_sample", cases.numbers(1, 3), -1, 1, False)

    def inference(name, x, axis):
        axis %= x.ndim
        beta, gamma, mean = (cases.numbers(x.shape[axis]) for _ in range(3))
        variance = cases.numbers(x.shape[axis], low=0.5)
        compute = lambda x, g, b, m, v: normalize(x, m, v, axis, b, g, 1e-3)
        cases.add(name, compute, x, gamma, beta, mean, variance)

    inference("inference_rows", cases.numbers(4, 3), -1)
    inference("inference_pictures_first", cases.numbers(2, 3, 2, 2), 1)

    def statistics(name, x, axis, valid):
        axes = [a for a in range(x.ndim) if a != axis % x.ndim]
        cases.add(name, lambda x, v: tuple(keras.ops.moments(x[:valid], axes)), x, np.int32(valid))

    statistics("statistics_rows", cases.numbers(5, 3), -1, 5)
    statistics("statistics_pictures_first", cases.numbers(3, 2, 3, 2), 1, 3)
    statistics("statistics_part", cases.numbers(5, 2, 3), -1, 3)
    cases.save()


def dropout():
    """The documented stream, with JAX's Threefry: word i decides about element i."""
    cases = Cases("dropout")
    key = 0x0123456789ABCDEF

    def words(count):
        """Word 2j and 2j + 1 are the two halves of threefry(key, j)."""
        halves = np.array([key & 0xFFFFFFFF, key >> 32], np.uint32)
        pairs = (count + 1) // 2
        counters = np.concatenate([np.arange(pairs), np.zeros(pairs)]).astype(np.uint32)
        low_high = np.asarray(threefry_2x32(halves, counters)).reshape(2, pairs)
        return low_high.T.reshape(-1)[:count]

    def add(name, shape, rate):
        uniform = (words(int(np.prod(shape))) >> 8).reshape(shape).astype(FLOAT) / 2**24
        scale = 0 if rate == 1 else 1 / (1 - rate)
        keep = jnp.asarray(uniform >= FLOAT(rate))
        cases.add(name, lambda x, k: jnp.where(keep, x * scale, 0), cases.numbers(*shape), np.int64(key))

    add("half", (3, 5), 0.5)
    add("tenth", (4, 6), 0.1)
    add("nothing", (2, 2), 0)
    add("everything", (2, 2), 1)
    cases.save()


def reduce():
    cases = Cases("reduce")

    def add(name, compute, x):
        cases.add(name, compute, x, gradients=False)

    ties = np.array([[1, 3, 3], [2, 2, 2], [-1, -2, -1]], FLOAT)
    index = lambda axis: lambda x: jnp.argmax(x, axis)
    add("argmax", index(-1), ties)
    add("argmax_axis_0", index(0), cases.numbers(3, 2, 2))
    add("argmax_not_a_number", index(1),
        np.array([[1, np.nan, 3], [np.inf, 0, np.nan], [-np.inf, -np.inf, -np.inf]], FLOAT))
    lax = jax.lax
    x = cases.numbers(2, 3, 4)
    kinds = {"add": jnp.sum, "maximum": jnp.max, "minimum": jnp.min, "multiply": jnp.prod}
    for kind, function in kinds.items():
        add(f"reduce_{kind}_integers", lambda x, f=function: f(x, 1, dtype=np.int32) if f in (jnp.sum, jnp.prod) else f(x, 1),
            np.array([[3, -2, 5], [-1, -4, -1]], np.int32))
    for kind in ("add", "maximum", "minimum"):
        cases.add(f"reduce_{kind}", lambda x, f=kinds[kind]: f(x, (0, 2)), x)
    add("reduce_multiply", lambda x: jnp.prod(x, 1), x)
    cases.add("reduce_all", lambda x: jnp.sum(x), x)
    cases.add("reduce_maximum_ties", lambda x: jnp.max(x, 1), ties)
    add("reduce_maximum_not_a_number", lambda x: jnp.max(x, 1), np.array([[1, np.nan, 3], [-np.inf, -np.inf, -np.inf]], FLOAT))
    add("reduce_empty", lambda x: jnp.sum(x, 1), np.zeros((2, 0), FLOAT))
    add("reduce_and", lambda x: jnp.all(x, 1), np.array([[True, False], [True, True]]))
    add("reduce_or", lambda x: jnp.any(x, 1), np.array([[True, False], [False, False]]))

    def window(kind, start):
        return lambda x: lax.reduce_window(x, FLOAT(start), kind, (2, 3), (1, 2), ((1, 0), (0, 2)), (1, 1), (1, 1))

    cases.add("window_add", window(lax.add, 0), cases.numbers(3, 5))
    add("window_maximum", window(lax.max, -np.inf), cases.numbers(3, 5))
    add("window_minimum", window(lax.min, np.inf), cases.numbers(3, 5))
    add("window_dilated",
        lambda x: lax.reduce_window(x, FLOAT(0), lax.add, (2, 2), (1, 1), ((1, 1), (0, 0)), (2, 1), (1, 2)), cases.numbers(3, 4))

    def scattered(operand, source):
        pooled = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 1), ((0, 0), (0, 1)))
        return jax.vjp(pooled, operand)[1](source)[0]

    cases.add("select_and_scatter", scattered, np.array([[1, 3, 3, 0], [2, 2, 3, 1], [5, 5, 0, 0], [5, 5, 0, 9]], FLOAT),
              cases.numbers(2, 4), gradients=False)
    add("argmax_integers", index(1), np.array([[5, -7, 5], [-3, -1, -2]], np.int32))
    add("one_hot", lambda x: jax.nn.one_hot(x, 4), np.array([[0, 3], [4, -1]], np.int32))
    add("one_hot_bytes", lambda x: jax.nn.one_hot(x.astype(jnp.int32), 300), np.array([3, 255], np.uint8))
    cases.save()


def elementwise():
    cases = Cases("elementwise")
    lax = jax.lax
    x = np.array([-3, -1.5, -1, -0.5, -0.25, 0.25, 0.5, 1, 1.5, 2.5, 7], FLOAT)
    positive = np.array([0.125, 0.5, 1, 2, 3.75, 100], FLOAT)
    for name in ("abs", "ceil", "floor", "sign", "tanh", "logistic"):
        cases.add(name, getattr(lax, name), x)
    for name, function in (("negate", lax.neg), ("exponential", lax.exp), ("sine", lax.sin), ("cosine", lax.cos),
                           ("exponential_minus_one", lax.expm1)):
        cases.add(name, function, x)
    for name, function in (("log", lax.log), ("log_plus_one", lax.log1p), ("sqrt", lax.sqrt), ("rsqrt", lax.rsqrt)):
        cases.add(name, function, positive)
    edges = np.array([0, -0.0, np.inf, -np.inf, np.nan, -1, 3e38, 2e-38], FLOAT)
    plain = lambda name, compute, *x: cases.add(name, compute, *x, gradients=False)
    plain("is_finite", lax.is_finite, edges)
    plain("round_nearest_even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
          np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4, 2.6], FLOAT))
    for name, function in (("log", lax.log), ("sqrt", lax.sqrt), ("tanh", lax.tanh), ("sign", lax.sign), ("exponential", lax.exp)):
        plain(name + "_edges", function, edges)
    truth = np.array([True, False])
    numbers = np.array([0, 1, -1, 12345, -2**31], np.int32)
    plain("not", lax.bitwise_not, truth)
    plain("not_integers", lax.bitwise_not, numbers)
    plain("abs_integers", lax.abs, numbers[:4])
    plain("negate_integers", lax.neg, numbers[:4])
    a, b = cases.numbers(3, 4), cases.numbers(3, 4)
    ties = np.where(np.arange(12).reshape(3, 4) % 3 == 0, a, b)
    for name, function in (("add", lax.add), ("subtract", lax.sub), ("multiply", lax.mul)):
        cases.add(name, function, a, b)
    cases.add("divide", lax.div, a, np.abs(b) + FLOAT(0.5))
    cases.add("power", lax.pow, np.abs(a) + FLOAT(0.25), b)
    plain("remainder", lax.rem, np.array([5.3, -5.3, 5.3, -5.3], FLOAT), np.array([3, 3, -3, -3], FLOAT))
    cases.add("maximum", lax.max, a, b)
    cases.add("minimum", lax.min, a, b)
    plain("maximum_edges", lax.max, edges, np.flip(edges))
    plain("minimum_edges", lax.min, edges, np.flip(edges))
    cases.add("broadcast_operands", lambda a, b: a * b + a, cases.numbers(3, 1), cases.numbers(2, 1, 4))
    i, j = np.array([7, -7, 7, -7, 0], np.int32), np.array([2, 2, -2, -2, 5], np.int32)
    for name, function in (("add", lax.add), ("divide", lax.div), ("remainder", lax.rem), ("maximum", lax.max),
                           ("and", lax.bitwise_and), ("or", lax.bitwise_or), ("xor", lax.bitwise_xor)):
        plain(name + "_integers", function, i, j)
    for name, function in (("and", lax.bitwise_and), ("or", lax.bitwise_or), ("xor", lax.bitwise_xor)):
        plain(name + "_truth", function, np.array([True, True, False, False]), np.array([True, False, True, False]))
    shifts = np.array([0, 1, 4, 31, 32], np.int32)
    plain("shift_left", lax.shift_left, np.array([1, -1, 3, 1, 5], np.int32), shifts)
    plain("shift_right_logical", lax.shift_right_logical, np.array([8, -1, -16, -1, 5], np.int32), shifts)
    for direction in ("eq", "ne", "lt", "le", "gt", "ge"):
        plain("compare_" + direction, getattr(lax, direction), np.array([1, 2, 2, np.nan, np.nan, np.inf], FLOAT),
              np.array([2, 1, 2, 1, np.nan, np.inf], FLOAT))
    cases.add("select", lambda p, a, b: lax.select(p, a, b), np.arange(12).reshape(3, 4) % 2 == 0, a, b)
    plain("select_ties", lambda a, b: lax.select(lax.eq(a, b), a, b), a, ties)
    convert = lambda dtype: lambda x: lax.convert_element_type(x, dtype)
    plain("convert_to_int32", convert(np.int32), np.array([-2.9, -0.5, 0.5, 2.9, 1e6], FLOAT))
    plain("convert_to_bool", convert(np.bool_), np.array([0, -0.0, 0.1, np.nan], FLOAT))
    plain("convert_bytes", convert(FLOAT), np.array([0, 1, 128, 255], np.uint8))
    plain("convert_truth", convert(FLOAT), truth)
    plain("convert_through_bfloat16", lambda x: convert(FLOAT)(convert(jnp.bfloat16)(x)),
          np.array([1.00390625, 1.01171875, 1.005, -3.14159, 1e-40, 3.4e38, np.inf, np.nan], FLOAT))
    cases.save()


def structural():
    cases = Cases("structural")
    lax = jax.lax
    x = cases.numbers(2, 3, 4)
    cases.add("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (2,)), cases.numbers(4))
    cases.add("broadcast_ones", lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (0, 1, 2)), cases.numbers(2, 1, 4))
    cases.add("reshape", lambda x: lax.reshape(x, (4, 6)), x)
    cases.add("transpose", lambda x: lax.transpose(x, (2, 0, 1)), x)
    cases.add("reverse", lambda x: lax.rev(x, (0, 2)), x)
    cases.add("optimization_barrier", lambda x: x, x)
    cases.add("slice", lambda x: lax.slice(x, (0, 1, 0), (2, 3, 4), (1, 1, 3)), x)
    cases.add("slice_empty", lambda x: lax.slice(x, (0, 1, 0), (2, 1, 4)), x)
    cases.add("pad", lambda x, v: lax.pad(x, v, ((1, 2, 0), (0, 0, 1))), cases.numbers(2, 3), FLOAT(0.5))
    cases.add("pad_cuts", lambda x, v: lax.pad(x, v, ((-1, 1, 0), (2, -3, 2))), cases.numbers(3, 3), FLOAT(-1))
    cases.add("concatenate", lambda *x: lax.concatenate(x, 1), cases.numbers(2, 1), cases.numbers(2, 3), cases.numbers(2, 2))
    start = lambda *values: [np.int32(value) for value in values]
    cases.add("dynamic_slice", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)), cases.numbers(4, 5), *start(1, 2))
    cases.add("dynamic_slice_clamped", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)), cases.numbers(4, 5),
              np.int32(9), np.int32(-9), gradients=False)
    cases.add("dynamic_update_slice", lambda x, u, i, j: lax.dynamic_update_slice(x, u, (i, j)), cases.numbers(4, 5),
              cases.numbers(2, 2), *start(1, 3))
    cases.add("iota", lambda x: x + lax.broadcasted_iota(FLOAT, (2, 3), 1), cases.numbers(2, 3))
    cases.add("all_reduce", lambda x: x * 1, cases.numbers(3))  # one replica
    cases.add("replica_id", lambda x: x + 0, cases.numbers(3))
    cases.save()


def products():
    cases = Cases("products")
    lax = jax.lax

    def dot(lhs_contracting, rhs_contracting, lhs_batching=(), rhs_batching=()):
        numbers = ((lhs_contracting, rhs_contracting), (lhs_batching, rhs_batching))
        return lambda a, b: lax.dot_general(a, b, numbers, precision="highest")

    cases.add("dot", dot((1,), (0,)), cases.numbers(3, 4), cases.numbers(4, 2))
    cases.add("dot_vectors", dot((0,), (0,)), cases.numbers(4), cases.numbers(4))
    cases.add("dot_batched", dot((2,), (1,), (0,), (0,)), cases.numbers(2, 3, 4), cases.numbers(2, 4, 2))
    cases.add("dot_moved_batch", dot((0,), (2,), (1,), (0,)), cases.numbers(4, 2, 3), cases.numbers(2, 5, 4))
    cases.add("dot_two_axes", dot((1, 2), (2, 0)), cases.numbers(2, 3, 4), cases.numbers(4, 2, 3))
    cases.add("dot_outer", dot((), ()), cases.numbers(2), cases.numbers(3))
    cases.add("dot_empty", dot((1,), (0,)), cases.numbers(2, 0), cases.numbers(0, 3))

    def convolution(strides, padding, lhs_dilation, rhs_dilation, numbers, groups=1, batch_groups=1):
        return lambda x, k: lax.conv_general_dilated(
            x, k, strides, padding, lhs_dilation, rhs_dilation, numbers, groups, batch_groups, precision="highest")

    last = ("NHWC", "HWIO", "NHWC")
    def add(*case):  # the gradient is that of the composite conv
        cases.add(*case, gradients=False)

    add("convolution", convolution((1, 1), ((1, 1), (0, 2)), (1, 1), (1, 1), last), cases.numbers(2, 4, 5, 2),
              cases.numbers(3, 2, 2, 3))
    add("convolution_strides", convolution((2, 3), ((0, 1), (1, 0)), (1, 1), (1, 1), last),
              cases.numbers(1, 5, 6, 2), cases.numbers(2, 3, 2, 2))
    add("convolution_dilations", convolution((1, 2), ((1, 0), (2, 1)), (2, 1), (1, 2), last),
              cases.numbers(1, 3, 6, 1), cases.numbers(2, 2, 1, 2))
    add("convolution_cut", convolution((1, 1), ((-1, 0), (0, -2)), (1, 1), (1, 1), last),
              cases.numbers(1, 4, 5, 1), cases.numbers(2, 2, 1, 1))
    add("convolution_groups", convolution((1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), last, groups=2),
              cases.numbers(1, 3, 3, 4), cases.numbers(2, 2, 2, 6))
    add("convolution_batch_groups", convolution((1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), last, batch_groups=2),
              cases.numbers(4, 3, 3, 2), cases.numbers(2, 2, 2, 4))
    add("convolution_channels_first",
              convolution((1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), ("NCHW", "OIHW", "NCHW")),
              cases.numbers(1, 2, 3, 4), cases.numbers(3, 2, 3, 3))
    add("convolution_line", convolution((2,), ((1, 1),), (1,), (1,), ("NWC", "WIO", "NWC")),
              cases.numbers(2, 5, 2), cases.numbers(3, 2, 2))
    cases.save()


def tables():
    cases = Cases("tables")
    index = np.array([[2, 0], [2, 4]], np.int32)
    cases.add("gather", lambda table, i: table[i], cases.numbers(5, 3), index)
    cases.add("gather_long_indices", lambda table, i: table[i], cases.numbers(5), index.astype(np.int64))
    cases.add("scatter", lambda i, u: jnp.zeros((5, 3), FLOAT).at[i].add(u), index, cases.numbers(2, 2, 3))
    key, counter = np.int64(0x1122334455667788), np.int64(0xfffffffe)

    def words(key, counter):
        halves = lambda value: [np.uint32(int(value) & 0xffffffff), np.uint32(int(value) >> 32)]
        blocks = [threefry_2x32(jnp.array(halves(key)), jnp.array(halves(int(counter) + j))) for j in range(3)]
        return np.array(blocks).reshape(-1)[:5].view(np.int32)

    cases.add("random_bits", words, key, counter, gradients=False)
    cases.save()


def control():
    cases = Cases("control")
    lax = jax.lax

    def running(reverse):
        def compute(start, x):
            step = lambda carry, each: (carry * each, carry + each)
            last, all_sums = lax.scan(step, start, x, reverse=reverse)
            return last, all_sums
        return compute

    cases.add("scan", running(False), cases.numbers(2), cases.numbers(3, 2))
    cases.add("scan_reverse", running(True), cases.numbers(2), cases.numbers(3, 2))
    cases.add("while", lambda i, x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (i, x)),
              np.int32(2), cases.numbers(3), gradients=False)

    def with_a_constant(constant, start, x):
        step = lambda carry, each: (carry * constant + each, each * constant)
        return lax.scan(step, start, x)

    cases.add("scan_with_a_constant", with_a_constant, cases.numbers(2), cases.numbers(2), cases.numbers(3, 2))
    cases.save()


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for family in (activations, losses, conv, pool, normalization, dropout, reduce,
                   elementwise, structural, products, tables, control):
        if not chosen or family.__name__ in chosen:
            family()
