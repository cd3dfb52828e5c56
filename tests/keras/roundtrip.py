#!/usr/bin/env python3
"""Models go from Keras to Hornbeam, are trained there, and go on in Keras as if they had never left.

    roundtrip.py HORNBEAM

For each model and optimizer: Keras writes a compiled .keras file and the data; `hornbeam train` trains it; Keras loads
last.keras compiled, predicts what `hornbeam predict` predicts, and takes a training step. The same step taken by
Hornbeam must give the same weights and the same state of the optimizer. Ends with 1 if anything differs.
"""

import argparse
import io
import os
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
from generators import files as networks  # noqa: E402
from generators.common import normal, random_numbers  # noqa: E402
from keras import optimizers  # noqa: E402

SAMPLES, BATCH, EPOCHS = 22, 8, 2  # the last batch of an epoch is smaller
STEPS = EPOCHS * 3
TOLERANCE = 1e-5


def all_optimizers():
    yield "Adam", lambda: optimizers.Adam(0.01)
    yield "SGD with momentum", lambda: optimizers.SGD(0.05, momentum=0.9)
    yield "RMSprop", lambda: optimizers.RMSprop(0.01)
    yield "RMSprop, momentum, centered", lambda: optimizers.RMSprop(0.01, momentum=0.5, centered=True)
    yield "AdamW", lambda: optimizers.AdamW(0.01, weight_decay=0.02)
    yield "Adam, amsgrad, clipnorm", lambda: optimizers.Adam(0.01, amsgrad=True, clipnorm=0.5)


def cases():
    """Names, networks, optimizers: every kind of model that stores its weights otherwise, with every optimizer."""
    for network in [networks.sequential, networks.picture, networks.nested]:
        for name, optimizer in all_optimizers():
            yield f"{network.__name__}, {name}", network, optimizer
    yield "shared layer, two inputs, two outputs, Adam", networks.shared, lambda: optimizers.Adam(0.01)
    for name, network in {"fine-tuned graph": lambda: networks.fine_tuned(networks.graph_of),
                          "fine-tuned sequence": lambda: networks.fine_tuned(networks.sequence_of),
                          "frozen when it was made": networks.frozen_when_made}.items():
        yield f"{name}, Adam", network, lambda: optimizers.Adam(0.01)
    yield "graphs in graphs, Adam", networks.two_ends, lambda: optimizers.Adam(0.01)


class Failure(Exception):
    pass


def require_close(received, expected, what):
    """Numbers within the tolerance, relative to the largest expected one where that is above 1."""
    received, expected = np.asarray(received, "float64"), np.asarray(expected, "float64")
    if received.shape != expected.shape:
        raise Failure(f"{what}: shape {received.shape} instead of {expected.shape}")
    if received.size == 0:
        return
    difference = np.max(np.abs(received - expected)) / max(1, np.max(np.abs(expected)))
    if not difference <= TOLERANCE:
        raise Failure(f"{what}: differs by {difference:.2e}")


class Data:
    """Samples for a model: arrays by input and output, as fit takes them, and as the .npz file that Hornbeam reads."""

    def __init__(self, model, name):
        self.model = model
        random = random_numbers(name)
        self.inputs = [normal(random, (SAMPLES, *end.shape[1:])) for end in model.inputs]
        self.targets = [normal(random, (SAMPLES, *end.shape[1:])) for end in model.outputs]

    def write(self, path, samples=SAMPLES):
        inputs = ["x"] if len(self.inputs) == 1 else [end.name for end in self.model.inputs]
        targets = ["y"] if len(self.targets) == 1 else self.model.output_names
        arrays = zip([*inputs, *targets], [*self.inputs, *self.targets])
        np.savez(path, **{name: array[:samples] for name, array in arrays})
        return path

    def first_batch(self):
        return [array[:BATCH] for array in self.inputs], [array[:BATCH] for array in self.targets]


def bare(arrays):
    """As the networks are made: a single end is no list. Keras warns when a file says otherwise."""
    return arrays[0] if len(arrays) == 1 else arrays


class Hornbeam:
    def __init__(self, program):
        self.program = Path(program).resolve()

    def run(self, *arguments):
        command = [str(self.program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def train(self, model, data, epochs, out):
        self.run("train", model, "--data", data, "--epochs", epochs, "--batch", BATCH, "--no-shuffle", "--out", out)
        return out / "last.keras"

    def predict(self, model, data, out, outputs):
        self.run("predict", model, "--data", data, "--out", out)
        stored = np.load(out)
        return [stored] if outputs == 1 else [stored[name] for name in stored.files]


def variables(model):
    """Weights and optimizer variables by path; random layers' seeds are not part of a model file."""
    weights = [v for v in model.variables if "seed" not in v.path]
    return {v.path: np.array(v.value) for v in [*weights, *model.optimizer.variables]}


def compiled(path):
    model = keras.models.load_model(path)  # with compile=True, so that a compile state that is amiss fails
    if not model.compiled:
        raise Failure(f"{path.name} is not compiled")
    return model


def check_weights_file(path, model):
    """The HDF5 file as h5py sees it holds float32 weights and a counter of steps."""
    content = zipfile.ZipFile(path).read("model.weights.h5")
    with h5py.File(io.BytesIO(content)) as file:
        datasets = []
        file.visititems(lambda name, item: datasets.append(item[()]) if isinstance(item, h5py.Dataset) else None)
        if "vars" not in file:
            raise Failure("the root group 'vars', which Keras before 3.6 needs, is missing")
        if int(file["optimizer/vars/0"][()]) != STEPS:
            raise Failure(f"the step counter is {file['optimizer/vars/0'][()]} instead of {STEPS}")
        stored = sum(array.size for array in datasets)
        expected = sum(array.size for array in variables(model).values())
        if stored != expected:
            raise Failure(f"the file holds {stored} numbers, the model {expected}")


def step_by_keras(model, data):
    inputs, targets = data.first_batch()
    model.fit(bare(inputs), bare(targets), batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    return variables(model)


def check(hornbeam, folder, name, network, optimizer):
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    model = network()
    model.compile(optimizer(), ["mean_squared_error"] * len(model.outputs))
    model.save(folder / "start.keras")
    data = Data(model, name)
    everything, batch = data.write(folder / "data.npz"), data.write(folder / "batch.npz", BATCH)

    trained = hornbeam.train(folder / "start.keras", everything, EPOCHS, folder / "trained")
    model = compiled(trained)
    if int(model.optimizer.iterations.value) != STEPS:
        raise Failure(f"Keras counts {int(model.optimizer.iterations.value)} steps instead of {STEPS}")
    check_weights_file(trained, model)
    check_predictions(hornbeam, folder, model, trained, data, everything)

    stepped = compiled(hornbeam.train(trained, batch, 1, folder / "stepped"))
    expected = step_by_keras(model, data)
    for path, value in variables(stepped).items():
        require_close(value, expected[path], f"{path} after one more step")


def check_predictions(hornbeam, folder, model, path, data, file):
    ending = "npy" if len(model.outputs) == 1 else "npz"
    received = hornbeam.predict(path, file, folder / f"predictions.{ending}", len(model.outputs))
    expected = model.predict(bare(data.inputs), verbose=0)
    expected = expected if isinstance(expected, list) else [expected]
    for number, (ours, theirs) in enumerate(zip(received, expected, strict=True)):
        require_close(ours, theirs, f"prediction {number}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hornbeam", help="the program")
    options = parser.parse_args()
    warnings.filterwarnings("error", message="The structure of `inputs` doesn't match")
    hornbeam, failed = Hornbeam(options.hornbeam), 0
    print(f"Keras {keras.__version__} on {keras.backend.backend()}, {options.hornbeam}")
    for name, network, optimizer in cases():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(hornbeam, Path(folder), name, network, optimizer)
                print(f"  same: {name}", flush=True)
            except Exception as failure:
                failed += 1
                print(f"DIFFERS: {name}: {type(failure).__name__}: {failure}", flush=True)
    print(f"{failed} round trips failed" if failed else "all round trips are the same")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
