"""Whether a training is steady: whether others that differ by rounding alone end in the same place."""

import numpy as np

DRAWS = 4  # trainings from moved weights
LAST_BITS = 2.0**-22
# Bounds for trainings from moved weights: of the loss of a step, and of weights. tests/train/golden_models.cpp allows
# other float32 trainings 1e-4 and as much as is recorded here, but no less than 1e-3.
LOSSES, WEIGHTS = 8e-5, 5e-3
ALL_NOISE = 1e-2  # a bias in front of batch normalization: it changes no output, and nothing is asked of it


def moved(weights, draw):
    """Each number up to two units in the last place away."""
    random = np.random.default_rng(draw)
    return [(w * (1 + LAST_BITS * random.uniform(-1, 1, w.shape))).astype("float32") for w in weights]


def apart(values, expected, exact_rounding, factor=1):
    """How far each array is from the expected one, or None when one is farther than rounding may bring it."""
    distances = [relative(*pair) for pair in zip(values, expected)]
    steady = all(distance < factor * WEIGHTS or rounding > ALL_NOISE
                 for distance, rounding in zip(distances, exact_rounding))
    return distances if steady else None


def relative(value, exact):
    """The L2 norm of the difference over the L2 norm."""
    difference, size = np.linalg.norm(np.asarray(value) - exact), np.linalg.norm(exact)
    return float(f"{difference / max(size, 1e-30):.2g}")
