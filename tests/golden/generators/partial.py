"""Compile states that leave something out: the loss of an output, the optimizer. And a mask that no layer uses."""

import tempfile
from pathlib import Path

import keras
from keras import layers

from .common import normal, numbered, random_numbers, save_json, save_npz

ROWS, BATCH, EPOCHS = 10, 4, 2


def record_partial(folder):
    keras.utils.clear_session()
    keras.utils.set_random_seed(5)
    record_losses(folder)
    record_without_optimizer(folder)


def record_losses(folder):
    random = random_numbers("partial_losses")
    tokens = random.integers(0, 7, (ROWS, 5)).astype("int32")
    targets = [normal(random, (ROWS, columns)) for columns in (3, 2, 1)]
    x = keras.Input((5,), name="tokens")
    hidden = layers.Flatten()(layers.Embedding(7, 4, mask_zero=True)(x))
    names = {"first": 3, "unused": 2, "third": 1}
    model = keras.Model(x, [layers.Dense(columns, name=name)(hidden) for name, columns in names.items()])
    model.compile(keras.optimizers.Adam(0.01), ["mse", None, "mae"], metrics=[["mae"], ["mse"], None])
    model.save(folder / "partial_losses.keras")
    history = model.fit(tokens, targets, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0).history
    save_npz(folder / "partial_losses.npz", {"input": tokens, **numbered("target", targets)})
    save_json(folder / "partial_losses.json", history)


def record_without_optimizer(folder):
    """Saving a .h5 file makes Keras forget the optimizer's settings, which the next .keras file then lacks."""
    random = random_numbers("without_optimizer")
    inputs, labels = normal(random, (ROWS, 4)), random.integers(0, 3, ROWS).astype("int32")
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="softmax")])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(inputs, labels, batch_size=BATCH, verbose=0)
    with tempfile.TemporaryDirectory() as temporary:
        model.save(Path(temporary) / "model.h5")
    model.save(folder / "without_optimizer.keras")
    loaded = keras.models.load_model(folder / "without_optimizer.keras")
    logs = loaded.evaluate(inputs, labels, batch_size=BATCH, verbose=0, return_dict=True)
    save_npz(folder / "without_optimizer.npz", {"input": inputs, "target": labels})
    save_json(folder / "without_optimizer.json", {"optimizer": loaded.optimizer.name, "logs": logs})
