#!/usr/bin/env python3
"""Settings around a training mean to Hornbeam what they mean to Keras, and the trained file goes back.

    settings.py HORNBEAM

For each case Keras writes a compiled model and data, both train them without shuffling, and the logs of all epochs
must agree; then Keras must load last.keras, compiled, and predict as its own model does. Ends with 1 if anything
differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers, losses, metrics  # noqa: E402

SAMPLES, CLASSES, BATCH, EPOCHS = 40, 3, 8, 3
TOLERANCE = 1e-4


def row_network():
    inputs = keras.Input((6,))
    return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax")(inputs))


def logits_network():
    return keras.Sequential([keras.Input((6,)), layers.Dense(CLASSES)])


def whole_number_network():
    """Whole numbers pass through layers that only move them, and become floats where something is computed."""
    inputs = keras.Input((8, 8, 3), dtype="uint8")
    x = layers.ZeroPadding2D()(layers.MaxPooling2D()(inputs))
    x = layers.Concatenate()([layers.Flatten()(x), layers.Dense(4)(layers.Flatten()(inputs))])
    x = layers.Dropout(0.0, seed=3)(layers.BatchNormalization()(x))
    return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax")(x))


def open_network(*extents):
    """Pictures whose extents the model leaves open."""
    def build():
        inputs = keras.Input((*extents, 3))
        x = layers.BatchNormalization()(layers.Conv2D(4, 3)(inputs))
        return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax")(layers.GlobalAveragePooling2D()(x)))
    return build


def cases():
    """Names, networks, arguments of compile, arguments of fit, and endings of the file."""
    sparse = {"loss": "sparse_categorical_crossentropy"}
    both = (".keras", ".h5")
    yield "loss weights in a list", row_network, {**sparse, "loss_weights": [0.3]}, {}, (".keras",)
    yield "fewer steps than the data has", row_network, sparse, {"steps_per_epoch": 2}, (".keras",)
    yield "more steps than the data has", row_network, sparse, {"steps_per_epoch": 7}, (".keras",)
    yield "objects", logits_network, {
        "loss": losses.SparseCategoricalCrossentropy(from_logits=True),
        "metrics": [metrics.SparseCategoricalAccuracy(name="hits")]}, {}, both
    yield "errors of class numbers", row_network, {**sparse, "metrics": ["mse", "mae"]}, {}, (".keras",)
    yield "whole numbers", whole_number_network, sparse, {}, both
    yield "open height and width", open_network(None, None), sparse, {}, both
    yield "open height", open_network(None, 8), sparse, {}, both


class Failure(Exception):
    pass


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def require_close(received, expected, what):
    received, expected = np.asarray(received, "float64"), np.asarray(expected, "float64")
    if received.shape != expected.shape or not np.allclose(received, expected, rtol=TOLERANCE, atol=1e-5):
        raise Failure(f"{what}: {received} instead of {expected}")


def options_of(fit):
    return [word for name, value in fit.items() for word in ("--" + name.replace("_", "-"), value)]


def check(hornbeam, folder, network, compiled, fit, ending):
    keras.utils.set_random_seed(1)
    model = network()
    model.compile(optimizer=keras.optimizers.SGD(0.5), **compiled)
    generator = np.random.default_rng(0)
    shape = [8 if extent is None else extent for extent in model.input_shape[1:]]
    x = generator.normal(size=(SAMPLES, *shape)).astype("float32")
    if model.inputs[0].dtype == "uint8":
        x = generator.integers(0, 4, x.shape).astype("uint8")
    y = generator.integers(0, CLASSES, (SAMPLES, 1))
    np.savez(folder / "data.npz", x=x, y=y)
    model.save(folder / f"fresh{ending}")
    report = json.loads(run(hornbeam, "train", folder / f"fresh{ending}", "--data", folder / "data.npz", "--batch",
                            BATCH, "--epochs", EPOCHS, "--no-shuffle", "--quiet", "--json", "--out", folder / "run",
                            *options_of(fit)))
    history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, **fit).history
    for name, values in history.items():
        require_close([epoch["logs"][name] for epoch in report["epochs"]], values, name)
    back = keras.models.load_model(folder / "run" / "last.keras")
    require_close(back.predict(x, verbose=0), model.predict(x, verbose=0), "predictions of the file in Keras")
    require_close(back.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0), "evaluation of the file in Keras")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hornbeam", type=Path)
    hornbeam = parser.parse_args().hornbeam.resolve()
    failures = 0
    for name, network, compiled, fit, endings in cases():
        for ending in endings:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    check(hornbeam, Path(folder), network, compiled, fit, ending)
                    print(f"  same: {name}, {ending}")
                except Failure as failure:
                    failures += 1
                    print(f"  DIFFERENT: {name}, {ending}: {failure}")
    print("all settings mean the same" if failures == 0 else f"{failures} settings differ")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
