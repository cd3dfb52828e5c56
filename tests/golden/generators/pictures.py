"""Small pictures of ten classes: stripes whose direction, width and colour tell the class, under noise."""

import numpy as np

from .common import random_numbers, save_npz

TRAINING, VALIDATION = 4 * 32 + 13, 32 + 5  # full batches and a smaller last one


def make_pictures():
    random = random_numbers("pictures")
    count = TRAINING + VALIDATION
    labels = random.permutation(np.arange(count) % 10)
    rows, columns = np.mgrid[0:32, 0:32] / 32
    angle = np.pi * labels[:, None, None] / 10
    phase = random.uniform(0, 2 * np.pi, (count, 1, 1))
    stripes = np.sin(2 * np.pi * (2 + labels[:, None, None] % 3) * (np.cos(angle) * rows + np.sin(angle) * columns) + phase)
    colours = random.uniform(0.3, 1, (10, 3))[labels][:, None, None, :]
    shades = 0.5 + 0.35 * stripes[..., None] * colours + 0.12 * random.standard_normal((count, 32, 32, 3))
    pictures = (17 * np.clip(np.rint(15 * shades), 0, 15)).astype("uint8")  # 16 shades pack well
    return pictures, labels.astype("int32")


def sizes(pictures):
    """The same pictures in the sizes that the models take."""
    return {"images_32": pictures, "images_28": pictures[:, 2:30, 2:30, 1:2], "images_8": pictures[:, 2::4, 2::4, :]}


def save_pictures(path):
    """Returns {key: array} as stored: training_images_32, validation_labels …"""
    pictures, labels = make_pictures()
    everything = {**sizes(pictures), "labels": labels}
    arrays = {f"training_{key}": value[:TRAINING] for key, value in everything.items()}
    arrays.update({f"validation_{key}": value[TRAINING:] for key, value in everything.items()})
    save_npz(path, arrays, compressed=True)
    return arrays
