"""Replicas: each batch is cut into equal slices, which share weights but not the statistics of batch normalization."""

import jax
import keras
import numpy as np

from .common import numbered, save_npz
from .steadiness import DRAWS, LOSSES, apart, moved, relative

BATCH, REPLICAS = 32, (2, 8)


def record_replicas(folder, pictures, fresh_model, rounding):
    """One epoch of the residual model for each number of replicas, from the first weights that are steady for all."""
    images = pictures["training_images_32"].astype("float32") / np.float32(255)
    labels = pictures["training_labels"]
    for seed in range(60):
        print(f"  residual with replicas, seed {seed}", flush=True)
        fresh_model(seed).save(folder / "replicas.keras")
        runs = {replicas: run(folder, images, labels, replicas) for replicas in REPLICAS}
        if all(is_steady(folder, images, labels, replicas, *runs[replicas], rounding) for replicas in REPLICAS):
            break
    else:
        raise RuntimeError("residual with replicas: no seed gives a steady training")
    for replicas, (losses, weights) in runs.items():
        save_npz(folder / f"replicas_{replicas}.npz", {"step_losses": losses, **numbered("weight", weights)})


def run(folder, images, labels, replicas, draw=None):
    model = keras.models.load_model(folder / "replicas.keras")
    if draw is not None:
        model.set_weights(moved(model.get_weights(), draw))
    losses = train(model, images, labels, replicas)
    return losses, model.get_weights()


def is_steady(folder, images, labels, replicas, losses, weights, rounding):
    for draw in range(DRAWS):
        other_losses, others = run(folder, images, labels, replicas, draw)
        if not all(relative(*pair) < LOSSES for pair in zip(other_losses, losses)):
            return False
        distances = apart(others, weights, rounding)
        if distances is None or not all(distance < 5e-4 or limit > 1e-5 for distance, limit in zip(distances, rounding)):
            return False
    return True


def train(model, images, labels, replicas):
    """Slices in series; their losses and gradients are added, their new moving statistics averaged."""
    def loss_sum(trained, others, images, labels):
        predictions, others = model.stateless_call(trained, others, images, training=True)
        return keras.ops.sum(keras.losses.sparse_categorical_crossentropy(labels, predictions)), others

    def penalty(trained):
        *_, penalties = model.stateless_call(trained, others, images[:1], return_losses=True)
        return sum(penalties)

    slice_gradient = jax.jit(jax.value_and_grad(loss_sum, has_aux=True))
    penalty_gradient = jax.jit(jax.value_and_grad(penalty))
    trained, others = values(model.trainable_variables), values(model.non_trainable_variables)
    model.optimizer.build(model.trainable_variables)
    state = values(model.optimizer.variables)
    losses = []
    for batch in range(0, len(images), BATCH):
        count = min(BATCH, len(images) - batch)
        loss, gradient = penalty_gradient(trained)
        moved = []
        for part in slices(batch, count, replicas):
            (part_loss, new_others), part_gradient = slice_gradient(trained, others, images[part], labels[part])
            loss += part_loss / count
            gradient = [total + each / count for total, each in zip(gradient, part_gradient)]
            moved.append(new_others)
        others = [sum(each) / len(moved) for each in zip(*moved)]
        trained, state = model.optimizer.stateless_apply(state, gradient, trained)
        losses.append(loss)
    for variable, value in zip(model.trainable_variables + model.non_trainable_variables, [*trained, *others]):
        variable.assign(value)
    return losses


def slices(first, count, replicas):
    """Contiguous parts of BATCH / replicas samples; those behind the end of the data are empty and left out."""
    size = BATCH // replicas
    starts = range(first, first + count, size)
    return [slice(start, min(start + size, first + count)) for start in starts]


def values(variables):
    return [variable.value for variable in variables]
