"""Files in the manner of Keras 1 and 2, whose models predict what the same models of Keras 3 predict.

Nothing old is run: the files are put together with h5py from the weights of the present models, by the rules of
the old versions. Keras 1 names layers and settings otherwise and stores kernels of channels_first layers as (filters,
channels, rows, columns); Theano mirrors kernels; Keras before 2.2.3 writes Sequential models as plain lists.
"""

import json

import h5py
import keras
import numpy as np
from keras import layers

from .common import fresh_folder, normal, numbered, random_numbers, save_json, save_npz

CHANNELS_LAST, CHANNELS_FIRST = "channels_last", "channels_first"


def present_model(data_format, hard_sigmoid):
    shape = (6, 5, 2) if data_format == CHANNELS_LAST else (2, 6, 5)
    keras.utils.set_random_seed(11)
    model = keras.Sequential([
        keras.Input(shape),
        layers.Conv2D(3, (3, 2), strides=(1, 2), padding="same", data_format=data_format),
        layers.Activation(hard_sigmoid),
        layers.MaxPooling2D((2, 2), data_format=data_format),
        layers.BatchNormalization(axis=-1 if data_format == CHANNELS_LAST else 1),
        layers.Flatten(data_format=CHANNELS_LAST),
        layers.Dense(4, activation="softmax"),
    ])
    random = random_numbers("old_files")
    for weight in model.weights:
        value = normal(random, weight.shape, 0.5)
        weight.assign(np.abs(value) + 0.1 if "variance" in weight.path else value)
    return model


def old_hard_sigmoid(x):
    return keras.ops.clip(0.2 * x + 0.5, 0, 1)


def layers_of_keras_1(data_format, backend):
    ordering = "tf" if data_format == CHANNELS_LAST else "th"
    shape = [None, 6, 5, 2] if data_format == CHANNELS_LAST else [None, 2, 6, 5]
    conv = {"name": "convolution2d_1", "trainable": True, "batch_input_shape": shape, "input_dtype": "float32",
            "nb_filter": 3, "nb_row": 3, "nb_col": 2, "init": "glorot_uniform", "activation": "linear",
            "border_mode": "same", "subsample": [1, 2], "dim_ordering": ordering, "bias": True,
            "W_regularizer": {"name": "WeightRegularizer", "l1": 0.0, "l2": 0.01}, "b_regularizer": None,
            "activity_regularizer": None, "W_constraint": {"name": "MaxNorm", "m": 2, "axis": 0}, "b_constraint": None}
    return [
        ("Convolution2D", conv),
        ("Activation", {"name": "activation_1", "trainable": True, "activation": "hard_sigmoid"}),
        ("MaxPooling2D", {"name": "maxpooling2d_1", "trainable": True, "pool_size": [2, 2], "strides": [2, 2],
                          "border_mode": "valid", "dim_ordering": ordering}),
        ("BatchNormalization", {"name": "batchnormalization_1", "trainable": True, "mode": 0, "momentum": 0.99,
                                "epsilon": 0.001, "axis": -1 if ordering == "tf" else 1, "gamma_regularizer": None,
                                "beta_regularizer": None}),
        ("Flatten", {"name": "flatten_1", "trainable": True}),
        ("Dense", {"name": "dense_1", "trainable": True, "output_dim": 4, "input_dim": 18, "init": "glorot_uniform",
                   "activation": "softmax", "W_regularizer": None, "b_regularizer": None, "bias": True,
                   "activity_regularizer": None, "W_constraint": None, "b_constraint": None}),
    ]


def layers_of_keras_2(data_format, backend):
    shape = [None, 6, 5, 2] if data_format == CHANNELS_LAST else [None, 2, 6, 5]
    uniform = {"class_name": "VarianceScaling",
               "config": {"scale": 1.0, "mode": "fan_avg", "distribution": "uniform", "seed": None}}
    conv = {"name": "conv2d_1", "trainable": True, "batch_input_shape": shape, "dtype": "float32", "filters": 3,
            "kernel_size": [3, 2], "strides": [1, 2], "padding": "same", "data_format": data_format,
            "dilation_rate": [1, 1], "activation": "linear", "use_bias": True, "kernel_initializer": uniform,
            "bias_initializer": {"class_name": "Zeros", "config": {}},
            "kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.01}}, "bias_regularizer": None,
            "activity_regularizer": None, "kernel_constraint": None, "bias_constraint": None}
    return [
        ("Conv2D", conv),
        ("Activation", {"name": "activation_1", "trainable": True, "activation": "hard_sigmoid"}),
        ("MaxPooling2D", {"name": "max_pooling2d_1", "trainable": True, "pool_size": [2, 2], "padding": "valid",
                          "strides": [2, 2], "data_format": data_format}),
        ("BatchNormalization", {"name": "batch_normalization_1", "trainable": True, "momentum": 0.99, "epsilon": 0.001,
                                "axis": -1 if data_format == CHANNELS_LAST else 1, "center": True, "scale": True}),
        ("Flatten", {"name": "flatten_1", "trainable": True, "data_format": CHANNELS_LAST}),
        ("Dense", {"name": "dense_1", "trainable": True, "units": 4, "activation": "softmax", "use_bias": True,
                   "kernel_initializer": uniform, "bias_initializer": {"class_name": "Zeros", "config": {}},
                   "kernel_regularizer": None, "bias_regularizer": None, "activity_regularizer": None,
                   "kernel_constraint": None, "bias_constraint": None}),
    ]


def old_kernel(kernel, version, data_format, backend):
    if backend == "theano":
        kernel = kernel[::-1, ::-1]
    if version.startswith("1") and data_format == CHANNELS_FIRST:
        kernel = kernel.transpose(3, 2, 0, 1)
    return kernel


def write(path, version, backend, config, weights, optimizer=None):
    """`weights`: lists of (name, array) by layer, in the order of the layers."""
    with h5py.File(path, "w") as file:
        header = {"keras_version": version, "backend": backend} if not version.startswith("1") else {}
        file.attrs.update({key: value.encode() for key, value in {**header, **config}.items()})
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = [name.encode() for name in weights]
        for layer, stored in weights.items():
            names = [name.encode() for name, _ in stored]
            layer_group = group.create_group(layer)
            layer_group.attrs["weight_names"] = names if names else np.zeros((0,))
            for name, value in stored:
                layer_group[name] = value
        if optimizer:
            state = file.create_group("optimizer_weights")
            state.attrs["weight_names"] = [f"training/variable_{i}:0".encode() for i in range(len(optimizer))]
            for i, value in enumerate(optimizer):
                state[f"training/variable_{i}:0"] = value


CASES = [  # name, version, backend, data format
    ("keras_1_tensorflow_last", "1.2.2", "tensorflow", CHANNELS_LAST),
    ("keras_1_tensorflow_first", "1.2.2", "tensorflow", CHANNELS_FIRST),
    ("keras_1_theano_first", "1.0.8", "theano", CHANNELS_FIRST),
    ("keras_1_theano_last", "1.0.8", "theano", CHANNELS_LAST),
    ("keras_2_list", "2.2.2", "tensorflow", CHANNELS_LAST),
    ("keras_2_theano", "2.1.6", "theano", CHANNELS_FIRST),
]


def generate():
    folder = fresh_folder("files/old")
    table = []
    for name, version, backend, data_format in CASES:
        model = present_model(data_format, old_hard_sigmoid)
        inputs = normal(random_numbers(name), (3, *model.input_shape[1:]))
        save_npz(folder / f"{name}.npz", {"input_0": inputs, "output_0": model.predict(inputs, verbose=0)})
        write_model(folder / f"{name}.h5", model, version, backend, data_format)
        table.append({"name": name, "version": version, "backend": backend, "data_format": data_format})
    save_json(folder / "cases.json", table)
    for name, config, slots, state in optimizer_cases():
        write_optimizer_case(folder / f"{name}.h5", config, state)
        save_npz(folder / f"{name}.npz", slots)


def write_model(path, model, version, backend, data_format):
    described = (layers_of_keras_1 if version.startswith("1") else layers_of_keras_2)(data_format, backend)
    names = ["_W", "_b"] if version.startswith("1") else ["/kernel", "/bias"]
    normalization = ["_gamma", "_beta", "_running_mean", "_running_std"] if version.startswith("1") else [
        "/gamma", "/beta", "/moving_mean", "/moving_variance"]
    suffix = ":0" if backend == "tensorflow" else ""
    weights = {}
    for (class_name, config), layer in zip(described, model.layers):
        values = [np.array(weight.value) for weight in layer.weights]
        if "Conv" in class_name:
            values[0] = old_kernel(values[0], version, data_format, backend)
        endings = normalization if class_name == "BatchNormalization" else names
        weights[config["name"]] = [(config["name"] + end + suffix, value) for end, value in zip(endings, values)]
    layer_list = [{"class_name": class_name, "config": config} for class_name, config in described]
    config = json.dumps({"class_name": "Sequential", "config": layer_list})
    write(path, version, backend, {"model_config": config}, weights)


def optimizer_cases():
    """Optimizer states of Keras 2.2, all slots of one kind before the next, for a kernel (2, 3) and a bias (3)."""
    random = random_numbers("old_optimizers")
    m = [normal(random, shape) for shape in [(2, 3), (3,)]]
    v = [np.abs(normal(random, shape)) for shape in [(2, 3), (3,)]]
    steps, unused = np.int64(7), [np.zeros((1,), "float32")] * 2
    both = {f"slot_{w}_{s}": value for s, values in enumerate([m, v]) for w, value in enumerate(values)}
    one = {f"slot_{w}_0": value for w, value in enumerate(m)}
    adam = {"lr": 0.01, "beta_1": 0.9, "beta_2": 0.999, "decay": 0.0, "epsilon": 1e-07, "amsgrad": False}
    sgd = {"lr": 0.01, "momentum": 0.9, "decay": 0.0, "nesterov": False}
    rmsprop = {"lr": 0.01, "rho": 0.9, "decay": 0.0, "epsilon": 1e-07}
    yield "adam_of_keras_2", ("Adam", adam), both, [steps, *m, *v, *unused]
    yield "sgd_of_keras_2", ("SGD", sgd), one, [steps, *m]
    yield "plain_sgd_of_keras_2", ("SGD", {**sgd, "momentum": 0.0}), {}, [steps, *m]
    yield "rmsprop_of_keras_2", ("RMSprop", rmsprop), one, m


def write_optimizer_case(path, optimizer, state):
    dense = {"name": "dense_1", "trainable": True, "batch_input_shape": [None, 2], "dtype": "float32", "units": 3,
             "activation": "linear", "use_bias": True}
    config = {"class_name": "Sequential", "config": [{"class_name": "Dense", "config": dense}]}
    training = {"optimizer_config": {"class_name": optimizer[0], "config": optimizer[1]}, "loss": "mean_squared_error",
                "metrics": ["mae"], "sample_weight_mode": None, "loss_weights": None}
    weights = {"dense_1": [("dense_1/kernel:0", np.ones((2, 3), "float32")), ("dense_1/bias:0", np.ones(3, "float32"))]}
    texts = {"model_config": json.dumps(config), "training_config": json.dumps(training)}
    write(path, "2.2.2", "tensorflow", texts, weights, state)
