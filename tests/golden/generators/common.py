"""What all generators share: where files go, how numbers and descriptions are stored, random numbers."""

import json
import shutil
import zlib
from pathlib import Path

import numpy as np
from keras.src.saving import serialization_lib

GOLDEN = Path(__file__).resolve().parent.parent


def fresh_folder(name, root=GOLDEN):
    """An empty folder for one group of numbers, so that renamed cases leave nothing behind."""
    folder = Path(root) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def random_numbers(name):
    """Each case draws from its own stream: adding one case changes no other."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(random, shape, scale=1.0):
    return (scale * random.standard_normal(shape)).astype("float32")


def distinct(random, shape):
    """Numbers with gaps of 0.25 between any two, so that no maximum is a tie."""
    count = int(np.prod(shape))
    return (0.25 * (random.permutation(count) - count / 2)).reshape(shape).astype("float32")


def serialize(keras_object):
    """The object as it stands in a .keras file: module, class_name, config, registered_name."""
    return serialization_lib.serialize_keras_object(keras_object)


def save_json(path, content):
    """One line for a list of numbers or names, so that files stay readable and short."""
    path.write_text(lines_of(content) + "\n")


def lines_of(content, indent=""):
    one_line = json.dumps(content)
    if len(one_line) + len(indent) <= 120 or not isinstance(content, (dict, list)):
        return one_line
    deeper = indent + "  "
    if isinstance(content, dict):
        items = [f"{json.dumps(key)}: {lines_of(value, deeper)}" for key, value in content.items()]
        return "{\n" + ",\n".join(deeper + item for item in items) + f"\n{indent}}}"
    if all(isinstance(item, (int, float)) for item in content):
        return one_line
    items = [lines_of(item, deeper) for item in content]
    return "[\n" + ",\n".join(deeper + item for item in items) + f"\n{indent}]"


def save_npz(path, arrays, compressed=False):
    """float32 for real numbers, int32 for whole ones; uint8 stays."""
    save = np.savez_compressed if compressed else np.savez
    save(path, **{key: stored(value) for key, value in arrays.items()})


def stored(value):
    value = np.asarray(value)
    if value.dtype == np.uint8:
        return value
    return np.asarray(value, "float32" if value.dtype.kind == "f" else "int32", order="C")


def numbered(prefix, arrays, first=0):
    """{"weight_0": …, "weight_1": …}: how lists of arrays are named in .npz files."""
    return {f"{prefix}_{index}": np.asarray(array) for index, array in enumerate(arrays, first)}


def description(variables):
    return [{"name": variable.name, "path": variable.path, "shape": list(variable.shape)} for variable in variables]


def model_variables(model):
    return [dict(row, trainable=bool(v.trainable)) for row, v in zip(description(model.variables), model.variables)]
