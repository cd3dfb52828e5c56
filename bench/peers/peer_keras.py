"""Keras as a peer, on the backend that KERAS_BACKEND names.

"steps MODEL.json BATCH": trains the model with Adam through fit, 500 steps an epoch of a small one, four of a large one; reads
"go SECONDS" lines, prints samples per second. "epoch MODEL.json DATA.npz BATCH": one epoch, as a whole process.
"""
import pathlib
import sys
import time

import keras
import numpy as np


def compiled(path):
    model = keras.models.model_from_json(pathlib.Path(path).read_text())
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def epoch(path, data, batch):
    arrays = np.load(data)
    compiled(path).fit(arrays["x"].astype("float32") / 255, arrays["y"], batch_size=batch, epochs=1, verbose=0)


def steps(path, batch):
    model = compiled(path)
    samples = batch * (500 if model.count_params() < 10_000 else 4)
    x = np.random.randint(0, 256, (samples, *model.input_shape[1:]), "uint8").astype("float32") / 255
    y = np.random.randint(0, model.output_shape[-1], (samples, 1), "uint8")
    train = lambda: model.fit(x, y, batch_size=batch, epochs=1, verbose=0)
    train()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, start, epochs = float(line.split()[1]), time.perf_counter(), 0
        while epochs == 0 or time.perf_counter() - start < seconds:
            train()
            epochs += 1
        print(epochs * samples / (time.perf_counter() - start), flush=True)


if sys.argv[1] == "epoch":
    epoch(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    steps(sys.argv[2], int(sys.argv[3]))
