#!/usr/bin/env python3
"""Layers keep their dtype policies on the way from Keras to Hornbeam and back.

    policies.py HORNBEAM

For each model, in every form of file: Keras writes it with policies, some layers with their own; Hornbeam trains it; in
last.keras every layer of Keras must have the policy it had, and Keras must evaluate and go on as it does with its own
training, as near as bfloat16 lets two of Keras' own trainings come (tests/golden/generators/policies.py: 1e-3 in a
loss). Then a model without policies is trained with --policy, and must be what Keras makes under that global policy.
Ends with 1 if anything differs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402

SAMPLES, CLASSES, BATCH, EPOCHS = 40, 3, 8, 2
TOLERANCE = 5e-3
MIXED, FLOAT = "mixed_bfloat16", "float32"


def sequence(first, last):
    return keras.Sequential([
        keras.Input((6,)), layers.Dense(8, activation="relu", dtype=first), layers.BatchNormalization(dtype=first),
        layers.Dense(CLASSES, activation="softmax", dtype=last)])


def graph(first, last):
    """A nested model, and a merge of two dtypes."""
    inputs = keras.Input((6,))
    inner_inputs = keras.Input((6,))
    inner = keras.Model(inner_inputs, layers.Dense(8, activation="tanh", dtype=first)(inner_inputs), name="inner")
    x = layers.Add(dtype=last)([inner(inputs), layers.Dense(8, dtype=last)(inputs)])
    return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax", dtype=first)(x))


class Failure(Exception):
    pass


def policies(model):
    """By layer; models themselves compute nothing."""
    return {layer.name: layer.dtype_policy.name for layer in model._flatten_layers()
            if not isinstance(layer, (keras.Model, layers.InputLayer))}


def require_close(received, expected, what):
    if not np.allclose(received, expected, rtol=TOLERANCE, atol=TOLERANCE):
        raise Failure(f"{what}: {received} instead of {expected}")


def train(hornbeam, model, folder, *options):
    command = [hornbeam, "train", model, "--data", folder / "data.npz", "--batch", BATCH, "--epochs", EPOCHS,
               "--no-shuffle", "--quiet", "--out", folder / "run", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(done.stderr)
    return keras.models.load_model(folder / "run" / "last.keras")


def check(hornbeam, folder, network, written, meant, ending, *options):
    """`written`: the policies in the file; `meant`: those that training has."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(SAMPLES, 6)).astype("float32"), generator.integers(0, CLASSES, (SAMPLES, 1))
    np.savez(folder / "data.npz", x=x, y=y)
    start = network(*written)
    keras.utils.clear_session()
    model = network(*meant)
    model.set_weights(start.get_weights())
    for each in (start, model):
        each.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
    start.save(folder / f"start{ending}")
    back = train(hornbeam, folder / f"start{ending}", folder, *options)
    if policies(back) != policies(model):
        raise Failure(f"policies {policies(back)} instead of {policies(model)}")
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0)
    require_close(back.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0), "evaluation")
    back.fit(x, y, batch_size=BATCH, verbose=0, shuffle=False)
    model.fit(x, y, batch_size=BATCH, verbose=0, shuffle=False)
    require_close(back.predict(x, verbose=0), model.predict(x, verbose=0), "predictions after going on")


def cases():
    for network in (sequence, graph):
        for written in ((MIXED, MIXED), (MIXED, FLOAT), (FLOAT, MIXED)):
            for ending in (".keras", ".h5"):
                yield network, written, written, ending
        yield network, (FLOAT, FLOAT), (MIXED, MIXED), ".keras", "--policy", MIXED
        yield network, (MIXED, FLOAT), (MIXED, MIXED), ".keras", "--policy", MIXED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hornbeam", type=Path)
    hornbeam = parser.parse_args().hornbeam.resolve()
    failures = 0
    for network, *case in cases():
        name = f"{network.__name__}, {', '.join(map(str, case))}"
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(hornbeam, Path(folder), network, *case)
                print(f"  same: {name}", flush=True)
            except Failure as failure:
                failures += 1
                print(f"  DIFFERENT: {name}: {failure}", flush=True)
    print("all policies are kept" if failures == 0 else f"{failures} policies differ")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
