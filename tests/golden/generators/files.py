"""Model files in every form that Keras writes them, with what the models predict.

Keras 3 writes files/keras_3. The same script under Keras 2.13 (tensorflow-cpu==2.13.*) writes files/keras_2.
"""

import keras
import numpy as np
from keras import Input, Model, Sequential, layers, optimizers

from . import old_files
from .common import fresh_folder, normal, numbered, random_numbers, save_json, save_npz

KERAS_3 = keras.__version__.startswith("3")


def sequential():
    return Sequential([
        Input((6,)),
        layers.Dense(5, activation="relu", use_bias=False),
        layers.BatchNormalization(),
        layers.Dropout(0.0),
        layers.Dense(3, activation="softmax"),
    ])


def picture():
    image = Input((8, 8, 3), name="image")
    x = layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(image)
    x = layers.BatchNormalization(scale=False)(x)
    x = layers.Activation("relu")(x)
    side = layers.Conv2D(4, 1, strides=2)(image)
    x = layers.Add()([x, side])
    x = layers.GlobalAveragePooling2D()(x)
    return Model(image, layers.Dense(2)(x))


def shared():
    """One layer for two inputs, and two outputs in another order than the layers that give them."""
    a, b = Input((4,), name="a"), Input((4,), name="b")
    layer = layers.Dense(3, activation="tanh", name="shared")
    both = layers.Concatenate()([layer(b), layer(a)])
    return Model([b, a], [layers.Dense(1, name="second")(both), layers.Dense(2, name="first")(both)])


def nested():
    """A graph called twice, with a frozen layer, and a Sequential model, called by a graph."""
    x = Input((4,))
    frozen = layers.Dense(4, name="frozen", trainable=False)
    inner = Model(x, layers.Dense(4, name="free")(layers.BatchNormalization()(frozen(x))), name="inner")
    head = Sequential([Input((4,)), layers.Dense(3), layers.ReLU()], name="head")
    outer = Input((4,))
    return Model(outer, layers.Dense(2)(head(inner(inner(outer)))))


def two_ends():
    """Graphs in graphs; the inner one has two outputs, of which the outer one uses both."""
    x = Input((4,))
    innermost = Model(x, layers.Dense(3, name="deep")(x), name="innermost")
    y = Input((4,))
    middle = Model(y, [innermost(y), layers.Dense(3, name="middle_dense")(y)], name="middle")
    outer = Input((4,))
    left, right = middle(outer)
    return Model(outer, layers.Subtract()([right, left]))


def base(make, **settings):
    return make([layers.Dense(5, use_bias=False, name="low"), layers.BatchNormalization(), layers.Dense(4, name="high")], **settings)


def graph_of(stack, **settings):
    start = end = Input((4,))
    for layer in stack:
        end = layer(end)
    return Model(start, end, name="base", **settings)


def sequence_of(stack, **settings):
    return Sequential([Input((4,)), *stack], name="base", **settings)


def with_head(inner):
    x = Input((4,))
    return Model(x, layers.Dense(2, name="head")(inner(x)))


def fine_tuned(make):
    """A frozen model whose last layer is free again: what Keras trains goes by the flags of the layers."""
    inner = base(make)
    inner.trainable = False
    inner.layers[-1].trainable = True
    return with_head(inner)


def frozen_when_made():
    """Only the model around the layers says that it is frozen, so they are trained."""
    return with_head(base(graph_of, trainable=False))


def adam():
    return optimizers.Adam(0.01)


def cases():
    yield "sequential", sequential, adam()
    yield "sequential_sgd", sequential, optimizers.SGD(0.1, momentum=0.9)
    yield "sequential_rmsprop", sequential, optimizers.RMSprop(0.01, momentum=0.5, centered=True)
    yield "sequential_adamw", sequential, optimizers.AdamW(0.01, weight_decay=0.02)
    yield "picture", picture, adam()
    yield "shared", shared, adam()
    yield "nested", nested, adam()
    yield "two_ends", two_ends, adam()
    if KERAS_3:
        yield "fine_tuned", lambda: fine_tuned(graph_of), adam()
        yield "fine_tuned_sequential", lambda: fine_tuned(sequence_of), adam()
        yield "frozen_when_made", frozen_when_made, adam()
    else:
        yield "legacy_adam", sequential, optimizers.legacy.Adam(0.01)
        yield "legacy_sgd", sequential, optimizers.legacy.SGD(0.1, momentum=0.9)


def generate():
    folder = fresh_folder("files/keras_3" if KERAS_3 else "files/keras_2")
    table = []
    for name, network, optimizer in cases():
        keras.backend.clear_session()
        keras.utils.set_random_seed(7)
        model = network()
        inputs = [normal(random_numbers(f"{name}_{i}"), (4, *end.shape[1:])) for i, end in enumerate(model.inputs)]
        targets = [np.ones((4, *tensor.shape[1:]), "float32") for tensor in model.outputs]
        model.compile(optimizer, ["mean_squared_error"] * len(targets))
        train(model, inputs, targets)
        if type(optimizer) is optimizers.Adam:
            save_parts(model, folder / name)
        save(model, folder / name)
        save_npz(folder / f"{name}.npz", {**numbers(model, inputs), **gone_on(model, inputs, targets)})
        table.append({"name": name, "optimizer": type(optimizer).__name__})
    save_json(folder / "cases.json", table)
    if KERAS_3:
        old_files.generate()


def train(model, inputs, targets):
    model.fit(inputs, targets, batch_size=2, shuffle=False, verbose=0)


def save(model, stem):
    if "legacy" not in stem.name:  # .keras files leave out the state of legacy optimizers
        model.save(f"{stem}.keras")
    model.save(f"{stem}.h5")  # last: the model forgets its optimizer's settings over this


def save_parts(model, stem):
    stem.with_suffix(".json").write_text(model.to_json())
    model.save_weights(f"{stem}.weights.h5")


def numbers(model, inputs):
    outputs = model.predict(inputs, verbose=0)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    slots = {f"slot_{w}_{s}": value for w, s, value in slots_of(model)}
    return {**numbered("input", inputs), **numbered("output", outputs), **slots}


def gone_on(model, inputs, targets):
    """The weights after another epoch."""
    train(model, inputs, targets)
    return {**numbered("target", targets), **numbered("weight_gone_on", model.get_weights())}


def slots_of(model):
    """Numbers of weight and slot, and values: slots in the order momentum, velocity or velocity, momentum, gradient."""
    optimizer = model.optimizer
    for number, weight in enumerate(model.trainable_variables):
        if hasattr(optimizer, "get_slot_names"):  # the first optimizers of tf.keras
            values = [optimizer.get_slot(weight, name) for name in optimizer.get_slot_names()]
        else:
            values = [getattr(optimizer, name)[number] for name in slot_attributes(optimizer)]
        yield from ((number, slot, np.array(value)) for slot, value in enumerate(values))


def slot_attributes(optimizer):
    if isinstance(optimizer, optimizers.SGD):
        return ["momentums"]
    if isinstance(optimizer, optimizers.RMSprop):
        return ["_velocities", "_momentums", "_average_gradients"]
    return ["_momentums", "_velocities"]
