"""Makes the *.json beside it with Keras 3 on JAX: KERAS_BACKEND=jax python make.py

A name here is the name of a row in ../cases/<family>.cpp, which builds the same thing."""

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
    add("argmax_integers", index(1), np.array([[5, -7, 5], [-3, -1, -2]], np.int32))
    add("one_hot", lambda x: jax.nn.one_hot(x, 4), np.array([[0, 3], [4, -1]], np.int32))
    add("one_hot_bytes", lambda x: jax.nn.one_hot(x.astype(jnp.int32), 300), np.array([3, 255], np.uint8))
    cases.save()


if __name__ == "__main__":
    for family in (activations, losses, conv, pool, normalization, dropout, reduce):
        family()
