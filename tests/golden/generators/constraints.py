"""Constraints: what they make of weights, and a training whose weights they hold."""

import numpy as np
import keras
from keras import constraints, layers, utils

from .common import fresh_folder, normal, numbered, random_numbers, save_json, save_npz, serialize


def cases():
    yield "max_norm", constraints.MaxNorm(1.5), (5, 4)
    yield "max_norm_axis_0", constraints.MaxNorm(2.0, axis=0), (3, 6)
    yield "max_norm_kernel", constraints.MaxNorm(2.0, axis=[0, 1, 2]), (3, 3, 2, 4)
    yield "max_norm_axis_1", constraints.MaxNorm(0.5, axis=1), (4, 3)
    yield "max_norm_vector", constraints.MaxNorm(0.5), (4,)
    yield "min_max_norm", constraints.MinMaxNorm(1.0, 1.5, rate=0.25), (5, 4)
    yield "min_max_norm_defaults", constraints.MinMaxNorm(), (5, 4)
    yield "non_neg", constraints.NonNeg(), (5, 4)
    yield "unit_norm", constraints.UnitNorm(), (5, 4)
    yield "unit_norm_axis_minus_1", constraints.UnitNorm(axis=-1), (5, 4)


def generate():
    folder = fresh_folder("constraints")
    table = []
    for name, constraint, shape in cases():
        weight = normal(random_numbers(name), shape)
        weight.flat[0] = 0
        save_npz(folder / f"{name}.npz", {"weight": weight, "constrained": np.array(constraint(weight))})
        table.append({"name": name, "constraint": serialize(constraint), "shape": list(shape)})
    save_json(folder / "cases.json", table)
    training(folder)


def model():
    utils.clear_session()
    utils.set_random_seed(1)
    return keras.Sequential([
        keras.Input((6, 6, 2)),
        layers.Conv2D(4, 3, kernel_constraint=constraints.MaxNorm(0.5, axis=[0, 1, 2]), use_bias=False),
        layers.BatchNormalization(gamma_constraint=constraints.MinMaxNorm(0.9, 1.2, rate=0.5),
                                  beta_constraint="non_neg"),
        layers.Flatten(),
        layers.Dense(3, kernel_constraint="unit_norm", bias_constraint="non_neg", activation="softmax"),
    ])


def training(folder):
    """Three steps, from the weights of training.keras to those of training.npz."""
    trained = model()
    trained.compile(keras.optimizers.Adam(0.1), "sparse_categorical_crossentropy")
    trained.optimizer.build(trained.trainable_variables)
    trained.save(folder / "training.keras")
    random = random_numbers("training")
    inputs, targets = normal(random, (12, 6, 6, 2)), random.integers(0, 3, 12)
    trained.fit(inputs, targets, batch_size=4, shuffle=False, verbose=0)
    weights = [np.array(variable.value) for variable in trained.variables if "seed" not in variable.path]
    save_npz(folder / "training.npz", {"input": inputs, "target": targets, **numbered("weight", weights)})
