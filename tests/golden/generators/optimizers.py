"""Optimizers: five steps over three tensors with given gradients."""

import numpy as np
from keras import Variable, optimizers, utils

from .common import description, fresh_folder, normal, numbered, random_numbers, save_json, save_npz, serialize

SHAPES = [(4, 3), (5,), (1,)]
STEPS = 5


def cases():
    sgd, adam, adamw, rmsprop = optimizers.SGD, optimizers.Adam, optimizers.AdamW, optimizers.RMSprop
    yield "sgd", sgd(0.1)
    yield "sgd_momentum", sgd(0.1, momentum=0.9)
    yield "sgd_nesterov", sgd(0.1, momentum=0.9, nesterov=True)
    yield "sgd_weight_decay", sgd(0.1, weight_decay=0.05)
    yield "sgd_clipnorm", sgd(0.1, clipnorm=0.5)
    yield "sgd_clipvalue", sgd(0.1, clipvalue=0.3)
    yield "sgd_global_clipnorm", sgd(0.1, global_clipnorm=0.5)
    yield "sgd_momentum_weight_decay_clipnorm", sgd(0.1, momentum=0.9, weight_decay=0.05, clipnorm=0.5)
    yield "adam", adam(0.01)
    yield "adam_defaults", adam()
    yield "adam_amsgrad", adam(0.01, amsgrad=True)
    yield "adam_weight_decay", adam(0.01, weight_decay=0.05)
    yield "adam_clipnorm", adam(0.01, clipnorm=0.5)
    yield "adam_betas", adam(0.01, beta_1=0.5, beta_2=0.9, epsilon=1e-3)
    yield "adam_ema", adam(0.01, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=2)
    yield "adamw", adamw(0.01)
    yield "adamw_defaults", adamw()
    yield "rmsprop", rmsprop(0.01)
    yield "rmsprop_defaults", rmsprop()
    yield "rmsprop_momentum", rmsprop(0.01, momentum=0.9)
    yield "rmsprop_centered", rmsprop(0.01, centered=True)
    yield "rmsprop_momentum_centered", rmsprop(0.01, momentum=0.9, centered=True)


def generate():
    folder = fresh_folder("optimizers")
    random = random_numbers("optimizers")
    start = [normal(random, shape) for shape in SHAPES]
    gradients = [[normal(random, shape) for shape in SHAPES] for _ in range(STEPS)]
    save_npz(folder / "inputs.npz", inputs(start, gradients))
    table = []
    utils.clear_session()
    for name, optimizer in cases():
        weights = [Variable(value, name=f"weight_{index}") for index, value in enumerate(start)]
        optimizer.build(weights)
        save_npz(folder / f"{name}.npz", trajectory(optimizer, weights, gradients))
        table.append({"name": name, "optimizer": serialize(optimizer), "variables": description(optimizer.variables)})
        utils.clear_session()  # every optimizer gets the name a first one has
    save_json(folder / "cases.json", table)


def inputs(start, gradients):
    arrays = numbered("weight", start)
    for step, step_gradients in enumerate(gradients):
        arrays.update(numbered(f"step_{step}_gradient", step_gradients))
    return arrays


def trajectory(optimizer, weights, gradients):
    """The weights after every step, then the optimizer's variables after the last one."""
    arrays = {}
    for step, step_gradients in enumerate(gradients):
        optimizer.apply(step_gradients, weights)
        arrays.update(numbered(f"step_{step}_weight", [np.array(weight.value) for weight in weights]))
    arrays.update(numbered("optimizer", [np.array(variable.value) for variable in optimizer.variables]))
    return arrays
