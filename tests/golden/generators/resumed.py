"""A training that stops after half its epochs, is saved, loaded and goes on: nothing may be lost."""

import keras
import numpy as np
from keras import layers

from .common import normal, numbered, random_numbers, save_npz

ROWS, BATCH, EPOCHS = 10, 4, 4


def record_resumed(folder):
    random = random_numbers("resumed")
    inputs, targets = normal(random, (ROWS, 3)), normal(random, (ROWS, 2))

    def train(model, first, last):
        model.fit(inputs, targets, batch_size=BATCH, initial_epoch=first, epochs=last, shuffle=False, verbose=0)
        return model

    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    fresh = keras.Sequential([layers.Input((3,)), layers.Dense(5, activation="tanh"), layers.Dense(2)])
    fresh.compile(keras.optimizers.Adam(0.01), "mean_squared_error")
    fresh.save(folder / "resumed_fresh.keras")
    straight = train(keras.models.load_model(folder / "resumed_fresh.keras"), 0, EPOCHS)
    half = train(fresh, 0, EPOCHS // 2)
    half.save(folder / "resumed_half.keras")
    resumed = train(keras.models.load_model(folder / "resumed_half.keras"), EPOCHS // 2, EPOCHS)
    assert all(np.array_equal(*pair) for pair in zip(straight.get_weights(), resumed.get_weights()))
    save_npz(folder / "resumed.npz", {
        "input": inputs,
        "target": targets,
        "iterations_half": int(half.optimizer.iterations.value),
        **numbered("weight", straight.get_weights()),
    })
