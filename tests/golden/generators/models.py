"""Models: whole trainings, step by step. Keras saves each model fresh and compiled; then it trains."""

import zlib
from dataclasses import dataclass
from typing import Callable

import jax
import keras
import numpy as np

from .common import fresh_folder, model_variables, numbered, random_numbers, save_json, save_npz
from .networks import article_cnn, article_mlp, lenet, residual, two_layers
from .partial import record_partial
from .pictures import save_pictures
from .replicas import record_replicas
from .resumed import record_resumed
from .steadiness import DRAWS, LOSSES, apart, moved, relative

BATCH, EPOCHS = 32, 2
# Rarely a ReLU or a pooling window decides by the last bit of a number, and from that step on float32 trainings part.
# Seeds are tried until float32 and float64 stay together: every step's loss and every log within this difference. So do
# trainings from weights moved by a last bit or two (generators/steadiness.py), because a decision of the last step
# shows in no loss. And no picture may be so near to two classes that its place in the accuracy is left to rounding.
STEADY = 6e-5
OPTIMIZERS = {
    "adam": lambda: keras.optimizers.Adam(1e-3),
    "sgd": lambda: keras.optimizers.SGD(0.01, momentum=0.9),
}


@dataclass
class Network:
    name: str
    build: Callable
    images: str
    parameters: int
    one_hot: bool
    weighted: bool = False  # trained with sample weights
    seeds: int = 60


SMALL = [
    Network("article_mlp_small", lambda: article_mlp([64, 32, 16, 16, 16, 16, 16, 16], (8, 8, 3)),
            "images_8", 17258, one_hot=True),
    Network("article_cnn_eighth", lambda: article_cnn([12, 32, 48, 48, 32]), "images_32", 73514, one_hot=True),
    Network("lenet", lenet, "images_28", 61706, one_hot=False),
    Network("residual", residual, "images_32", 3010, one_hot=False),
    Network("weighted", two_layers, "images_8", 3258, one_hot=True, weighted=True),
]
# Under Adam, float32 and float64 trainings of the large models part by percents within ten steps, whatever the seed:
# only their first steps can be compared.
LARGE = [
    Network("article_mlp", lambda: article_mlp([2048, 1024, 512, 256, 128, 64, 32, 16], (32, 32, 3)),
            "images_32", 9108058, one_hot=True, seeds=1),
    Network("article_cnn", lambda: article_cnn([96, 256, 384, 384, 256]), "images_32", 3491082, one_hot=True,
            seeds=1),
]


def generate():
    folder = fresh_folder("models")
    pictures, table = write(folder, SMALL)
    record_resumed(folder)
    record_partial(folder)
    residual_sgd = next(row for row in table if row["name"] == "residual_sgd")
    network = next(network for network in SMALL if network.name == "residual")
    record_replicas(folder, pictures, lambda seed: compiled(network, "sgd", seed), residual_sgd["rounding"]["weights"])


def generate_large(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, LARGE)


def write(folder, networks):
    pictures = save_pictures(folder / "pictures.npz")
    table = []
    for network in networks:
        for optimizer in OPTIMIZERS:
            print(f"  {network.name}, {optimizer}", flush=True)
            table.append(record(folder, network, optimizer, pictures))
            save_json(folder / "cases.json", table)
    return pictures, table


def record(folder, network, optimizer, pictures):
    for seed in range(network.seeds):
        row = record_from(seed, folder, network, optimizer, pictures)
        logs = max(row["rounding"]["logs"])
        difference = max(*row["rounding"]["step_losses"], logs)
        print(f"    seed {seed}: float32 and float64 part by {difference:.2g}, classes by {row['margin']:.2g}", flush=True)
        if network.seeds == 1:
            return row
        if difference < STEADY and row["margin"] > 3 * logs and is_steady(folder, network, optimizer, pictures, row):
            return row
    raise RuntimeError(f"{network.name}, {optimizer}: no seed gives a steady training")


def is_steady(folder, network, optimizer, pictures, row):
    """Whether trainings from weights moved by rounding end where the recorded one does. How far apart they end is
    added to the row's rounding."""
    numbers = np.load(folder / row["numbers"])
    training, validation = data(network, pictures)
    rounding = row["rounding"]
    exact = {kind: list(rounding[kind]) for kind in ("weights", "optimizer")}
    for draw in range(DRAWS):
        model = compiled(network, optimizer)
        model.set_weights(moved(keras.models.load_model(folder / row["model"]).get_weights(), draw))
        _, losses = train(model, training, validation)
        if not all(relative(*pair) < LOSSES for pair in zip(losses, numbers["step_losses"])):
            print("      a last bit decides about a loss", flush=True)
            return False
        for kind, name, factor, values in (("weights", "weight", 1, model.get_weights()),
                                           ("optimizer", "optimizer", 2, optimizer_values(model))):
            expected = [numbers[f"{name}_{i}"] for i in range(len(values))]
            distances = apart(values, expected, exact[kind], factor)
            if distances is None:
                print(f"      a last bit decides about {kind}", flush=True)
                return False
            rounding[kind] = [max(pair) for pair in zip(rounding[kind], distances)]
    return True


def record_from(seed, folder, network, optimizer, pictures):
    name = f"{network.name}_{optimizer}"
    model = compiled(network, optimizer, seed)
    assert model.count_params() == network.parameters, model.count_params()
    model.save(folder / f"{name}.keras")
    training, validation = data(network, pictures)
    samples = validation[0][:4]
    fresh_weights = model.get_weights()
    before = model.predict(samples, verbose=0)
    margins = Margins(validation[0])
    history, losses = train(model, training, validation, margins)
    save_npz(folder / f"{name}.npz", {
        **dict(zip(["sample_weight"], training[2:])),
        "step_losses": losses,
        "predictions_before": before,
        "predictions_after": model.predict(samples, verbose=0),
        **numbered("weight", model.get_weights()),
        **numbered("optimizer", optimizer_values(model)),
    })
    row = {
        "name": name,
        "model": f"{name}.keras",
        "numbers": f"{name}.npz",
        "images": network.images,
        "one_hot": network.one_hot,
        "weighted": network.weighted,
        "batch": BATCH,
        "epochs": history,
        "margin": margins.smallest,
        "weights": model_variables(model),
        "optimizer": [variable.path for variable in model.optimizer.variables],
    }
    row["rounding"] = rounding(network, optimizer, fresh_weights, training, validation, history, losses, model)
    return row


def compiled(network, optimizer, seed=0):
    keras.utils.clear_session()  # layers are named as in a fresh program
    keras.utils.set_random_seed(zlib.crc32(network.name.encode()) + seed)
    model = network.build()
    loss = "categorical_crossentropy" if network.one_hot else "sparse_categorical_crossentropy"
    model.compile(OPTIMIZERS[optimizer](), loss, metrics=["accuracy"])
    return model


def data(network, pictures):
    """Training and validation: pictures as float32 (uint8 / 255), targets as the loss wants them, sample weights."""
    def part(name):
        images = pictures[f"{name}_{network.images}"].astype("float32") / np.float32(255)
        labels = pictures[f"{name}_labels"]
        return images, np.eye(10, dtype="float32")[labels] if network.one_hot else labels

    training, validation = part("training"), part("validation")
    if network.weighted:
        training += (random_numbers("sample weights").uniform(0, 2, len(training[0])).astype("float32"),)
    return training, validation


class StepLosses(keras.callbacks.Callback):
    """The loss of each batch, worked out from the running mean that Keras logs."""

    def __init__(self, samples):
        super().__init__()
        self.samples = samples
        self.losses = []

    def on_epoch_begin(self, epoch, logs=None):
        self.sum = 0.0

    def on_train_batch_end(self, batch, logs=None):
        seen = min((batch + 1) * BATCH, self.samples)
        total = float(logs["loss"]) * seen
        self.losses.append((total - self.sum) / (seen - batch * BATCH))
        self.sum = total


class Margins(keras.callbacks.Callback):
    """How near any picture came to being taken for another class, at the end of any epoch."""

    def __init__(self, inputs):
        super().__init__()
        self.inputs = inputs
        self.smallest = 1.0

    def on_epoch_end(self, epoch, logs=None):
        best = np.sort(self.model.predict(self.inputs, verbose=0), axis=-1)[:, -2:]
        self.smallest = min(self.smallest, float(np.min(best[:, 1] - best[:, 0])))


def train(model, training, validation, *callbacks):
    """The logs of each epoch and the loss of each step."""
    steps = StepLosses(len(training[0]))
    inputs, targets, *weights = training
    history = model.fit(inputs, targets, sample_weight=weights[0] if weights else None, validation_data=validation,
                        batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, callbacks=[steps, *callbacks]).history
    return [{key: float(values[epoch]) for key, values in history.items()} for epoch in range(EPOCHS)], steps.losses


def optimizer_values(model):
    return [np.array(variable.value) for variable in model.optimizer.variables]


def rounding(network, optimizer, fresh_weights, training, validation, logs, losses, trained):
    """How far float32 is from float64 on this very training: what no float32 program can be held to."""
    policy = keras.config.dtype_policy()
    try:
        with jax.enable_x64(True):
            keras.config.set_floatx("float64")
            keras.config.set_dtype_policy("float64")
            model = compiled(network, optimizer)
            model.set_weights(fresh_weights)
            exact_logs, exact_losses = train(model, in_double(training), in_double(validation))
            return {
                "logs": [abs(each[key] - exact[key]) for each, exact in zip(logs, exact_logs) for key in each],
                "step_losses": [relative(*pair) for pair in zip(losses, exact_losses)],
                "weights": [relative(*pair) for pair in zip(trained.get_weights(), model.get_weights())],
                "optimizer": [relative(*pair) for pair in zip(optimizer_values(trained), optimizer_values(model))],
            }
    finally:
        keras.config.set_floatx("float32")
        keras.config.set_dtype_policy(policy)


def in_double(arrays):
    return [array.astype("float64") if array.dtype == "float32" else array for array in arrays]
