"""Losses: value of each sample, reduced value and gradient with respect to the predictions."""

import jax
import numpy as np
from keras import losses

from .common import fresh_folder, normal, random_numbers, save_json, save_npz, serialize

# Beyond what the clip to [1e-7, 1 - 1e-7] lets through, and around it.
SATURATED = [0.0, 1.0, 1e-8, 1e-6, 0.5, 0.999999]


def probabilities(random, shape):
    exponentials = np.exp(normal(random, shape))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype("float32")


def ratios(random, shape):
    """Independent probabilities; as classes they do not add up to one."""
    return random.uniform(0.05, 0.95, shape).astype("float32")


def saturated(random, shape):
    return random.choice(SATURATED, shape).astype("float32")


def one_hot(random, shape):
    return np.eye(shape[-1], dtype="float32")[random.integers(0, shape[-1], shape[:-1])]


def bits(random, shape):
    return random.integers(0, 2, shape).astype("float32")


def classes(count):
    return lambda random, shape: random.integers(0, count, shape).astype("int32")


def weights(random, shape):
    """One sample counts nothing, the others between 0.5 and 2."""
    values = random.uniform(0.5, 2.0, shape).astype("float32")
    values[0] = 0
    return values


def cases():
    """name, loss, targets (kind, shape), predictions (kind, shape), shape of sample weights or None."""
    yield from categorical_cases()
    yield from sparse_cases()
    yield from binary_cases()
    yield from regression_cases()


def categorical_cases():
    def case(name, prediction, shape, weights=None, **options):
        loss = losses.CategoricalCrossentropy(**options)
        return f"categorical_crossentropy_{name}", loss, (one_hot, shape), (prediction, shape), weights

    yield case("probabilities", probabilities, (6, 4))
    yield case("not_normalized", ratios, (6, 4))
    yield case("saturated", saturated, (12, 3))
    yield case("logits", normal, (6, 4), from_logits=True)
    yield case("label_smoothing", probabilities, (6, 4), label_smoothing=0.1)
    yield case("logits_label_smoothing", normal, (6, 4), from_logits=True, label_smoothing=0.2)
    yield case("weights", probabilities, (6, 4), (6,))
    yield case("rank_3", probabilities, (3, 5, 4))
    yield case("rank_3_weights", probabilities, (3, 5, 4), (3, 1))
    yield case("rank_3_step_weights", probabilities, (3, 5, 4), (3, 5))
    yield case("rank_3_logits", normal, (3, 5, 4), from_logits=True)
    yield case("sum", probabilities, (6, 4), reduction="sum")
    yield case("mean_with_sample_weight", probabilities, (6, 4), (6,), reduction="mean_with_sample_weight")


def sparse_cases():
    def case(name, prediction, shape, target=None, weights=None, **options):
        loss = losses.SparseCategoricalCrossentropy(**options)
        targets = (classes(shape[-1]), target or shape[:-1])
        return f"sparse_categorical_crossentropy_{name}", loss, targets, (prediction, shape), weights

    yield case("probabilities", probabilities, (6, 4))
    yield case("not_normalized", ratios, (6, 4))
    yield case("column", probabilities, (6, 4), (6, 1))
    yield case("saturated", saturated, (12, 3))
    yield case("logits", normal, (6, 4), from_logits=True)
    yield case("weights", probabilities, (6, 4), weights=(6,))
    yield case("rank_3", probabilities, (3, 5, 4))
    yield case("rank_3_column", probabilities, (3, 5, 4), (3, 5, 1))
    yield case("rank_3_weights", normal, (3, 5, 4), weights=(3, 1), from_logits=True)
    yield case("rank_3_step_weights", probabilities, (3, 5, 4), weights=(3, 5))
    yield case("sum", probabilities, (6, 4), reduction="sum")
    yield case("ignore_class", probabilities, (12, 4), ignore_class=1)
    yield case("ignore_class_weights", probabilities, (12, 4), weights=(12,), ignore_class=1)
    yield case("ignore_class_logits", normal, (3, 5, 4), from_logits=True, ignore_class=2)
    yield case("ignore_class_step_weights", probabilities, (3, 5, 4), weights=(3, 5), ignore_class=2)
    yield case("ignore_class_sum", probabilities, (12, 4), ignore_class=0, reduction="sum")
    yield case("ignore_class_mean_with_sample_weight", probabilities, (12, 4), weights=(12,), ignore_class=3,
               reduction="mean_with_sample_weight")
    yield case("ignore_class_mean_without_weights", probabilities, (12, 4), ignore_class=3,
               reduction="mean_with_sample_weight")
    yield void("ignore_class_minus_1", -1)
    yield void("ignore_class_255", 255)
    yield all_void("ignore_class_all", -1)


def void(name, number, count=lambda labels: len(labels) // 2):
    """Labels of which some say that nothing is there, as in pictures of segments."""
    def labels(random, shape):
        values = classes(4)(random, shape)
        values[:count(values)] = number
        return values

    loss = losses.SparseCategoricalCrossentropy(ignore_class=number)
    return f"sparse_categorical_crossentropy_{name}", loss, (labels, (6, 5)), (probabilities, (6, 5, 4)), None


def all_void(name, number):
    return void(name, number, len)


def binary_cases():
    def case(name, prediction, shape, target=None, weights=None, **options):
        loss = losses.BinaryCrossentropy(**options)
        return f"binary_crossentropy_{name}", loss, (bits, target or shape), (prediction, shape), weights

    yield case("probabilities", ratios, (6, 1))
    yield case("vector_targets", ratios, (6, 1), (6,))
    yield case("many_labels", ratios, (6, 4))
    yield case("saturated", saturated, (12, 2))
    yield case("logits", normal, (6, 1), from_logits=True)
    yield case("large_logits", lambda random, shape: normal(random, shape, 100), (12, 1), from_logits=True)
    yield case("label_smoothing", ratios, (6, 4), label_smoothing=0.1)
    yield case("logits_label_smoothing", normal, (6, 4), from_logits=True, label_smoothing=0.2)
    yield case("weights", ratios, (6, 1), weights=(6,))
    yield case("rank_3", ratios, (3, 5, 2))
    yield case("rank_3_weights", ratios, (3, 5, 2), weights=(3, 1))


def regression_cases():
    for name, loss in (("mean_squared_error", losses.MeanSquaredError),
                       ("mean_absolute_error", losses.MeanAbsoluteError)):
        def case(suffix, shape, target=None, weights=None, **options):
            return f"{name}_{suffix}", loss(**options), (normal, target or shape), (normal, shape), weights

        yield case("rank_2", (6, 3))
        yield case("one_column", (6, 1))
        yield case("vector_targets", (6, 1), (6,))
        yield case("weights", (6, 3), weights=(6,))
        yield case("column_weights", (6, 3), weights=(6, 1))
        yield case("rank_3", (3, 5, 2))
        yield case("rank_3_weights", (3, 5, 2), weights=(3, 1))
        yield case("rank_3_step_weights", (3, 5, 2), weights=(3, 5))
        yield case("sum", (6, 3), reduction="sum")


def generate():
    folder = fresh_folder("losses")
    table = []
    for name, loss, (target_kind, target_shape), (prediction_kind, prediction_shape), weight_shape in cases():
        random = random_numbers(name)
        target = target_kind(random, target_shape)
        prediction = prediction_kind(random, prediction_shape)
        sample_weight = None if weight_shape is None else weights(random, weight_shape)
        save_npz(folder / f"{name}.npz", numbers(loss, target, prediction, sample_weight))
        table.append({"name": name, "loss": serialize(loss), "target_shape": target_shape,
                      "prediction_shape": prediction_shape, "sample_weight_shape": weight_shape})
    save_json(folder / "cases.json", table)


def numbers(loss, target, prediction, sample_weight):
    one_by_one = type(loss).from_config({**loss.get_config(), "reduction": "none"})
    arrays = {
        "target": target,
        "prediction": prediction,
        "unreduced_loss": one_by_one(target, prediction),
        "loss": loss(target, prediction, sample_weight),
        "prediction_gradient": jax.grad(lambda p: loss(target, p, sample_weight))(prediction),
    }
    if sample_weight is not None:
        arrays["sample_weight"] = sample_weight
    return arrays
