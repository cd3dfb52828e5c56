"""Metrics: the running value over batches of 8, 8 and 3 samples, and what the name "accuracy" stands for."""

import keras
import numpy as np
from keras import metrics
from keras.src.trainers.compile_utils import CompileMetrics

from .common import fresh_folder, normal, random_numbers, save_json, save_npz, serialize
from .losses import bits, classes, one_hot, probabilities, ratios, weights

BATCHES = [8, 8, 3]


def tied(random, shape):
    """Equal largest values (the first counts) and 0.5 exactly (not above the threshold)."""
    return random.choice([0.25, 0.5], shape).astype("float32")


def cases():
    """name, metric as given to compile, targets (kind, shape), predictions (kind, shape), whether weighted."""
    yield "accuracy_binary", "accuracy", (bits, (1,)), (ratios, (1,)), False
    yield "accuracy_binary_vector", "accuracy", (bits, ()), (ratios, (1,)), False
    yield "accuracy_binary_ties", "accuracy", (bits, (1,)), (tied, (1,)), False
    yield "accuracy_categorical", "accuracy", (one_hot, (4,)), (probabilities, (4,)), False
    yield "accuracy_categorical_ties", "accuracy", (one_hot, (4,)), (tied, (4,)), False
    yield "accuracy_categorical_rank_3", "accuracy", (one_hot, (5, 4)), (probabilities, (5, 4)), False
    yield "accuracy_many_labels", "accuracy", (bits, (4,)), (ratios, (4,)), False
    yield "accuracy_sparse", "accuracy", (classes(4), ()), (probabilities, (4,)), False
    yield "accuracy_sparse_column", "accuracy", (classes(4), (1,)), (probabilities, (4,)), False
    yield "accuracy_sparse_ties", "accuracy", (classes(4), ()), (tied, (4,)), False
    yield "accuracy_sparse_rank_3", "accuracy", (classes(4), (5,)), (probabilities, (5, 4)), False
    yield "accuracy_short_name", "acc", (one_hot, (4,)), (probabilities, (4,)), False
    yield "accuracy_weighted", "accuracy", (one_hot, (4,)), (probabilities, (4,)), True
    yield "accuracy_sparse_weighted", "accuracy", (classes(4), ()), (probabilities, (4,)), True
    yield "binary_accuracy", "binary_accuracy", (bits, (4,)), (ratios, (4,)), False
    yield ("binary_accuracy_threshold", metrics.BinaryAccuracy(threshold=0.3), (bits, (1,)), (ratios, (1,)), False)
    yield "categorical_accuracy", metrics.CategoricalAccuracy(), (one_hot, (4,)), (probabilities, (4,)), False
    yield ("sparse_categorical_accuracy", metrics.SparseCategoricalAccuracy(), (classes(4), ()),
           (probabilities, (4,)), False)
    yield "mse", "mse", (normal, (3,)), (normal, (3,)), False
    yield "mae", "mae", (normal, (3,)), (normal, (3,)), False
    yield "mean_squared_error", metrics.MeanSquaredError(), (normal, (3,)), (normal, (3,)), False
    yield "mean_absolute_error", metrics.MeanAbsoluteError(name="distance"), (normal, (3,)), (normal, (3,)), False
    yield "mse_vector_targets", "mse", (normal, ()), (normal, (1,)), False
    yield "mse_rank_3", "mse", (normal, (5, 3)), (normal, (5, 3)), False
    yield "mse_weighted", "mse", (normal, (3,)), (normal, (3,)), True


RESOLUTIONS = [((8, 1), (8, 1)), ((8,), (8, 1)), ((8, 4), (8, 4)), ((8,), (8, 4)), ((8, 1), (8, 4)),
               ((8, 5), (8, 5, 4)), ((8, 5, 1), (8, 5, 4)), ((8, 5, 4), (8, 5, 4)), ((8, 5), (8, 5)),
               ((8, 5, 1), (8, 5, 1)), ((8, 5), (8, 5, 1))]


def generate():
    folder = fresh_folder("metrics")
    table = []
    for name, metric, targets, predictions, weighted in cases():
        arrays, resolved = running_values(name, metric, targets, predictions, weighted)
        save_npz(folder / f"{name}.npz", arrays)
        form = metric if isinstance(metric, str) else serialize(metric)
        table.append({"name": name, "metric": form, "weighted": weighted, "log_name": resolved.name,
                      "class_name": type(resolved).__name__, "target_shape": [8, *targets[1]],
                      "prediction_shape": [8, *predictions[1]]})
    save_json(folder / "cases.json", table)
    save_json(folder / "accuracy.json", [resolution(*shapes) for shapes in RESOLUTIONS])


def running_values(name, metric, targets, predictions, weighted):
    random = random_numbers(name)
    compiled = CompileMetrics(None, [metric]) if weighted else CompileMetrics([metric], None)
    arrays = {}
    for batch, size in enumerate(BATCHES):
        target = targets[0](random, (size, *targets[1]))
        prediction = predictions[0](random, (size, *predictions[1]))
        sample_weight = weights(random, (size,)) if weighted else None
        compiled.update_state(target, prediction, sample_weight)
        (value,) = compiled.result().values()
        arrays.update({f"batch_{batch}_target": target, f"batch_{batch}_prediction": prediction,
                       f"batch_{batch}_result": np.float32(value)})
        if weighted:
            arrays[f"batch_{batch}_sample_weight"] = sample_weight
    return arrays, compiled.metrics[0]


def resolution(target_shape, prediction_shape):
    compiled = CompileMetrics(["accuracy"], None)
    compiled.build(keras.KerasTensor(target_shape), keras.KerasTensor(prediction_shape))
    return {"target_shape": target_shape, "prediction_shape": prediction_shape,
            "class_name": type(compiled.metrics[0]).__name__}
