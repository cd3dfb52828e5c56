"""Trainings under the policy mixed_bfloat16, and of a layer that has its own policy, float32, among them."""

import zlib

import keras
import numpy as np
from keras import layers

from .common import fresh_folder, numbered, normal, random_numbers, save_json, save_npz
from .steadiness import relative

SAMPLES, BATCH, EPOCHS, CLASSES = 60, 16, 3, 5  # the last batch of an epoch is smaller
OPTIMIZERS = {
    "adam": lambda: keras.optimizers.Adam(1e-3),
    "sgd": lambda: keras.optimizers.SGD(0.02, momentum=0.9),
}


def mlp():
    """The classes come out of a layer of policy float32, as Keras' guide to mixed precision has it."""
    return keras.Sequential([
        layers.Input((8, 8, 3)),
        layers.Flatten(),
        layers.Dense(32, kernel_regularizer=keras.regularizers.L2(1e-3)),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Dropout(0.0),
        layers.Dense(16, activation="tanh"),
        layers.Dense(CLASSES, activation="softmax", dtype="float32"),
    ])


def cnn():
    """Everything in mixed_bfloat16, the softmax too."""
    return keras.Sequential([
        layers.Input((8, 8, 3)),
        layers.Conv2D(8, 3, padding="same"),
        layers.BatchNormalization(),
        layers.Activation("relu"),
        layers.MaxPooling2D(2),  # XLA rounds an average after every addition
        layers.Conv2D(12, 3, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(CLASSES, activation="softmax"),
    ])


NETWORKS = {"mlp": mlp, "cnn": cnn}


def generate():
    folder = fresh_folder("policies")
    random = random_numbers("policies")
    labels = random.integers(0, CLASSES, SAMPLES).astype("int32")
    inputs = normal(random, (SAMPLES, 8, 8, 3)) + normal(random, (CLASSES, 8, 8, 3))[labels]
    save_npz(folder / "data.npz", {"input": inputs, "target": labels})
    table = []
    for network in NETWORKS:
        for optimizer in OPTIMIZERS:
            table.append(record(folder, network, optimizer, inputs, labels))
    save_json(folder / "cases.json", table)


def record(folder, network, optimizer, inputs, labels):
    name = f"{network}_{optimizer}"
    mixed = compiled(network, optimizer, "mixed_bfloat16")
    fresh = mixed.get_weights()
    mixed.save(folder / f"{name}.keras")
    before, losses = trained(mixed, inputs, labels)
    numbers = {"prediction_before": before, "step_losses": losses, **numbered("weight", mixed.get_weights())}
    row = {"name": name, "batch": BATCH, "epochs": EPOCHS,
           "policies": [layer.dtype_policy.name for layer in mixed.layers]}
    # Compiled by XLA, chains of operations are rounded where they end; eagerly, after every operation. Both are Keras.
    for other, policy, eagerly in [("eager", "mixed_bfloat16", True), ("float32", "float32", False)]:
        model = compiled(network, optimizer, policy, eagerly)
        model.set_weights(fresh)
        other_before, other_losses = trained(model, inputs, labels)
        numbers[f"{other}_prediction_before"] = other_before
        row[f"from_{other}"] = {
            "prediction_before": relative(before, other_before),
            "step_losses": [relative(*pair) for pair in zip(losses, other_losses)],
            "weights": [relative(*pair) for pair in zip(mixed.get_weights(), model.get_weights())],
        }
        print(f"  {name} from {other}: losses {max(row[f'from_{other}']['step_losses']):.2g}", flush=True)
    save_npz(folder / f"{name}.npz", numbers)
    return row


def compiled(network, optimizer, policy, eagerly=False):
    keras.utils.clear_session()
    keras.utils.set_random_seed(zlib.crc32(network.encode()))
    keras.config.set_dtype_policy(policy)
    try:
        model = NETWORKS[network]()
    finally:
        keras.config.set_dtype_policy("float32")
    model.compile(OPTIMIZERS[optimizer](), "sparse_categorical_crossentropy", run_eagerly=eagerly)
    return model


def trained(model, inputs, labels):
    """The prediction before and the loss of each step, its penalties included."""
    before = np.asarray(model.predict(inputs[:4], verbose=0), "float32")
    losses = []
    for _ in range(EPOCHS):
        for first in range(0, SAMPLES, BATCH):
            model.reset_metrics()
            losses.append(float(model.train_on_batch(inputs[first:first + BATCH], labels[first:first + BATCH])))
    return before, losses
