"""Layers: outputs, new weights and gradients of every case of layer_cases."""

import jax
import jax.numpy as jnp
import numpy as np

from .common import fresh_folder, normal, numbered, random_numbers, save_json, save_npz, serialize
from .layer_cases import cases


def generate():
    folder = fresh_folder("layers")
    table = []
    for name, layer, shapes, kind in cases():
        layer.name = name
        random = random_numbers(name)
        inputs = [kind(random, shape) for shape in shapes]
        layer.build(shapes if len(shapes) > 1 else shapes[0])
        draw_weights(layer, random)
        save_npz(folder / f"{name}.npz", numbers(layer, inputs, random))
        table.append(row(layer, name, shapes))
    save_json(folder / "cases.json", table)


def row(layer, name, shapes):
    return {
        "name": name,
        "layer": serialize(layer),
        "input_shapes": shapes,
        "weights": [{"name": weight.name, "trainable": bool(weight.trainable)} for weight in layer.weights],
    }


def draw_weights(layer, random):
    for weight in layer.weights:
        value = normal(random, weight.shape, 0.5)
        if weight.name == "gamma":
            value = 1 + value
        if weight.name == "moving_variance":
            value = 0.5 + np.abs(value)
        weight.assign(value)


def numbers(layer, inputs, random):
    trainable = [weight.value for weight in layer.trainable_weights]
    others = [weight.value for weight in layer.non_trainable_weights]
    names = [weight.name for weight in layer.trainable_weights + layer.non_trainable_weights]
    assert names == [weight.name for weight in layer.weights], "trainable weights come first"

    def call(trainable, inputs, training):
        arguments = inputs if len(inputs) > 1 else inputs[0]
        options = {"training": training} if layer._call_has_training_arg else {}
        return layer.stateless_call(trainable, others, arguments, **options)

    output, _ = call(trainable, inputs, False)
    training_output, new_others = call(trainable, inputs, True)
    cotangent = normal(random, output.shape)

    def projection(trainable, inputs):
        return jnp.sum(call(trainable, inputs, True)[0] * cotangent)

    whole_numbers = inputs[0].dtype.kind == "i"
    gradients = jax.grad(projection, argnums=(0,) if whole_numbers else (0, 1))(trainable, inputs)
    return {
        **numbered("input", inputs),
        **numbered("weight", trainable + others),
        "output": output,
        "training_output": training_output,
        **numbered("new_weight", new_others, first=len(trainable)),
        "cotangent": cotangent,
        **({} if whole_numbers else numbered("input_gradient", gradients[1])),
        **numbered("weight_gradient", gradients[0]),
    }
