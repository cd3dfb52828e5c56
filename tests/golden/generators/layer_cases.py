"""The table of layer cases: name, layer, shapes of the inputs (batch included), kind of inputs."""

from keras import layers

from .common import distinct, normal

ACTIVATIONS = (
    "linear relu relu6 leaky_relu elu selu celu softplus softsign silu gelu mish tanh sigmoid exponential "
    "hard_sigmoid hard_silu hard_tanh log_sigmoid log_softmax softmax tanh_shrink soft_shrink hard_shrink "
    "squareplus sparse_plus sparse_sigmoid glu"
).split()


def wide(random, shape):
    return normal(random, shape, 3.0)


def indices(limit):
    return lambda random, shape: random.integers(0, limit, shape).astype("int32")


def cases():
    yield from dense_cases()
    yield from activation_cases()
    yield from convolution_cases()
    yield from pooling_cases()
    yield from normalization_cases()
    yield from shape_cases()
    yield from merge_cases()
    yield from table_cases()


def dense_cases():
    yield "dense_rank_2", layers.Dense(4), [(3, 5)], normal
    yield "dense_rank_3", layers.Dense(4), [(3, 2, 5)], normal
    yield "dense_rank_4", layers.Dense(3), [(2, 2, 3, 4)], normal
    yield "dense_no_bias", layers.Dense(4, use_bias=False), [(3, 5)], normal
    yield "dense_one_unit", layers.Dense(1, activation="sigmoid"), [(5, 7)], normal
    yield "dense_one_sample", layers.Dense(4, activation="relu"), [(1, 5)], normal
    yield "dense_softmax", layers.Dense(10, activation="softmax"), [(4, 6)], normal
    yield "dense_tanh_rank_3", layers.Dense(4, activation="tanh"), [(3, 2, 5)], normal
    yield "dense_wide", layers.Dense(33, activation="relu"), [(7, 65)], normal


def activation_cases():
    for name in ACTIVATIONS:
        yield f"activation_{name}", layers.Activation(name), [(3, 8)], wide
    yield "activation_softmax_rank_3", layers.Activation("softmax"), [(2, 3, 5)], wide
    yield "relu", layers.ReLU(), [(3, 8)], wide
    yield "relu_max_value", layers.ReLU(max_value=2.0), [(3, 8)], wide
    yield "relu_negative_slope", layers.ReLU(negative_slope=0.1), [(3, 8)], wide
    yield "relu_threshold", layers.ReLU(threshold=1.0), [(3, 8)], wide
    yield "relu_all", layers.ReLU(max_value=4.0, negative_slope=0.2, threshold=0.5), [(4, 8)], wide
    yield "leaky_relu", layers.LeakyReLU(), [(3, 8)], wide
    yield "leaky_relu_slope", layers.LeakyReLU(negative_slope=0.05), [(3, 8)], wide
    yield "elu", layers.ELU(), [(3, 8)], wide
    yield "elu_alpha", layers.ELU(alpha=0.5), [(3, 8)], wide
    yield "softmax", layers.Softmax(), [(2, 3, 4)], normal
    yield "softmax_axis_1", layers.Softmax(axis=1), [(2, 3, 4)], normal
    yield "softmax_axis_minus_2", layers.Softmax(axis=-2), [(2, 3, 4)], normal
    yield "softmax_two_axes", layers.Softmax(axis=[1, 2]), [(2, 3, 4)], normal
    yield "softmax_axes_apart", layers.Softmax(axis=[-1, 1]), [(2, 3, 2, 4)], normal
    yield "softmax_list_of_one", layers.Softmax(axis=[1]), [(2, 3, 4)], normal
    yield "dropout_rate_0", layers.Dropout(0.0), [(3, 5)], normal


def convolution_cases():
    def conv(name, shape, *arguments, **options):
        return f"conv2d_{name}", layers.Conv2D(*arguments, **options), [shape], normal

    yield conv("valid", (2, 6, 7, 3), 4, 3)
    yield conv("same", (2, 6, 7, 3), 4, 3, padding="same")
    yield conv("same_stride_2_even", (2, 6, 8, 3), 4, 3, strides=2, padding="same")
    yield conv("same_stride_2_odd", (2, 7, 9, 3), 4, 3, strides=2, padding="same")
    yield conv("valid_stride_2", (2, 7, 8, 3), 4, 3, strides=2)
    yield conv("stride_3_kernel_2", (1, 8, 7, 2), 3, 2, strides=3, padding="same")
    yield conv("strides_1_2", (2, 6, 7, 3), 4, (3, 2), strides=(1, 2), padding="same")
    yield conv("kernel_1", (2, 5, 4, 6), 3, 1)
    yield conv("kernel_1_stride_2", (2, 5, 6, 6), 3, 1, strides=2)
    yield conv("kernel_2_same", (2, 5, 4, 3), 4, 2, padding="same")
    yield conv("kernel_4_same", (2, 5, 6, 2), 3, 4, padding="same")
    yield conv("kernel_5_same", (1, 9, 8, 2), 3, 5, padding="same")
    yield conv("kernel_1_3", (1, 5, 6, 3), 4, (1, 3), padding="same")
    yield conv("kernel_3_1", (1, 5, 6, 3), 4, (3, 1))
    yield conv("kernel_larger_than_image", (2, 2, 3, 3), 4, 5, padding="same")
    yield conv("dilation_2", (1, 8, 9, 2), 3, 3, dilation_rate=2)
    yield conv("dilation_2_same", (1, 8, 9, 2), 3, 3, dilation_rate=2, padding="same")
    yield conv("dilation_1_3_same", (1, 7, 8, 2), 3, (3, 2), dilation_rate=(1, 3), padding="same")
    yield conv("groups_2", (2, 5, 6, 4), 6, 3, groups=2)
    yield conv("groups_2_same_stride_2", (2, 6, 5, 4), 6, 3, groups=2, strides=2, padding="same")
    yield conv("groups_depthwise", (2, 5, 6, 4), 4, 3, groups=4, padding="same")
    yield conv("no_bias", (2, 5, 6, 3), 4, 3, use_bias=False)
    yield conv("relu", (2, 5, 6, 3), 4, 3, activation="relu", padding="same")
    yield conv("many_channels", (1, 5, 5, 17), 19, 3, padding="same")
    yield conv("one_channel", (3, 8, 8, 1), 6, 5, activation="tanh", padding="same")
    yield conv("channels_first", (2, 3, 6, 7), 4, 3, data_format="channels_first")
    yield conv("channels_first_same_stride_2", (2, 3, 6, 7), 4, 3, strides=2, padding="same",
               data_format="channels_first")
    yield conv("channels_first_groups", (2, 4, 5, 6), 6, 3, groups=2, data_format="channels_first")


def pooling_cases():
    for kind, layer in (("max", layers.MaxPooling2D), ("average", layers.AveragePooling2D)):
        def pool(name, shape, *arguments, **options):
            return f"{kind}_pooling2d_{name}", layer(*arguments, **options), [shape], distinct

        yield pool("2", (2, 4, 6, 3), 2)
        yield pool("2_odd", (2, 5, 7, 3), 2)
        yield pool("2_odd_same", (2, 5, 7, 3), 2, padding="same")
        yield pool("3_same_stride_1", (1, 4, 5, 2), 3, strides=1, padding="same")
        yield pool("3_stride_2_same", (2, 6, 7, 2), 3, strides=2, padding="same")
        yield pool("3_stride_2_valid", (2, 7, 8, 2), 3, strides=2)
        yield pool("2_stride_3", (1, 8, 7, 2), 2, strides=3)
        yield pool("2_1", (2, 5, 4, 3), (2, 1), strides=(1, 2), padding="same")
        yield pool("channels_first", (2, 3, 5, 6), 2, data_format="channels_first")
        yield pool("channels_first_same", (2, 3, 5, 7), 3, strides=2, padding="same", data_format="channels_first")

    for kind, layer in (("max", layers.GlobalMaxPooling2D), ("average", layers.GlobalAveragePooling2D)):
        yield f"global_{kind}_pooling2d", layer(), [(2, 4, 5, 3)], distinct
        yield f"global_{kind}_pooling2d_keepdims", layer(keepdims=True), [(2, 4, 5, 3)], distinct
        yield f"global_{kind}_pooling2d_channels_first", layer(data_format="channels_first"), [(2, 3, 4, 5)], distinct
        yield (f"global_{kind}_pooling2d_channels_first_keepdims",
               layer(data_format="channels_first", keepdims=True), [(2, 3, 4, 5)], distinct)


def normalization_cases():
    def batch_normalization(name, shape, **options):
        return f"batch_normalization_{name}", layers.BatchNormalization(**options), [shape], normal

    yield batch_normalization("rank_2", (6, 5))
    yield batch_normalization("rank_3", (4, 3, 5))
    yield batch_normalization("rank_4", (3, 4, 5, 2))
    yield batch_normalization("axis_1_rank_4", (3, 2, 4, 5), axis=1)
    yield batch_normalization("axis_1_rank_3", (4, 3, 5), axis=1)
    yield batch_normalization("no_scale", (6, 5), scale=False)
    yield batch_normalization("no_center", (6, 5), center=False)
    yield batch_normalization("no_scale_no_center", (6, 5), scale=False, center=False)
    yield batch_normalization("momentum_0.5", (6, 5), momentum=0.5)
    yield batch_normalization("momentum_0", (6, 5), momentum=0.0)
    yield batch_normalization("epsilon", (6, 5), epsilon=0.1)
    yield batch_normalization("small_epsilon", (3, 4, 5, 2), epsilon=1e-5, momentum=0.9)
    yield batch_normalization("one_sample", (1, 5))
    frozen = layers.BatchNormalization()
    frozen.trainable = False
    yield "batch_normalization_frozen", frozen, [(6, 5)], normal


def shape_cases():
    yield "flatten", layers.Flatten(), [(2, 3, 4, 2)], normal
    yield "flatten_rank_2", layers.Flatten(), [(2, 5)], normal
    yield "flatten_rank_1", layers.Flatten(), [(3,)], normal
    yield "flatten_channels_first", layers.Flatten(data_format="channels_first"), [(2, 3, 2, 4)], normal
    yield "reshape", layers.Reshape((4, 3)), [(2, 2, 6)], normal
    yield "reshape_minus_1", layers.Reshape((3, -1)), [(2, 2, 6)], normal
    yield "reshape_flat", layers.Reshape((-1,)), [(2, 2, 3)], normal
    yield "zero_padding2d", layers.ZeroPadding2D(1), [(2, 3, 4, 2)], normal
    yield "zero_padding2d_pair", layers.ZeroPadding2D((1, 2)), [(2, 3, 4, 2)], normal
    yield "zero_padding2d_four", layers.ZeroPadding2D(((0, 1), (2, 3))), [(2, 3, 4, 2)], normal
    yield ("zero_padding2d_channels_first", layers.ZeroPadding2D(((0, 1), (2, 0)), data_format="channels_first"),
           [(2, 2, 3, 4)], normal)
    yield "rescaling", layers.Rescaling(1 / 127.5, offset=-1.0), [(2, 3, 3, 2)], wide
    yield "rescaling_lists", layers.Rescaling([0.1, 0.2], offset=[-1.0, 0.5]), [(2, 3, 3, 2)], wide
    yield "rescaling_list_of_offsets", layers.Rescaling(0.1, offset=[-1.0, 0.5, 0.0]), [(4, 3)], wide


def merge_cases():
    yield "add", layers.Add(), [(2, 3, 4)] * 2, normal
    yield "add_three", layers.Add(), [(2, 5)] * 3, normal
    yield "add_broadcast", layers.Add(), [(2, 3, 4), (2, 1, 4)], normal
    yield "subtract", layers.Subtract(), [(2, 5)] * 2, normal
    yield "multiply", layers.Multiply(), [(2, 5)] * 3, normal
    yield "average", layers.Average(), [(2, 5)] * 3, normal
    yield "maximum", layers.Maximum(), [(2, 5)] * 3, normal
    yield "minimum", layers.Minimum(), [(2, 5)] * 3, normal
    yield "concatenate", layers.Concatenate(), [(2, 3, 4), (2, 3, 2)], normal
    yield "concatenate_axis_1", layers.Concatenate(axis=1), [(2, 3, 4), (2, 1, 4), (2, 2, 4)], normal
    yield "concatenate_axis_minus_2", layers.Concatenate(axis=-2), [(2, 3, 4), (2, 2, 4)], normal


def table_cases():
    yield "embedding", layers.Embedding(6, 3), [(4, 5)], indices(6)
    yield "embedding_rank_1", layers.Embedding(6, 3), [(4,)], indices(6)
    yield "embedding_mask_zero", layers.Embedding(6, 3, mask_zero=True), [(4, 5)], indices(6)
