"""Writes the outside numbers of op cases: inputs, results, seeds and gradients, as JSON."""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

FOLDER = pathlib.Path(__file__).parent


class Cases:
    """The cases of one family, written to <family>.json by save()."""

    def __init__(self, family):
        self.family = family
        self.entries = {}
        self.random = np.random.default_rng(2024)

    def numbers(self, *shape, low=-2.0, high=2.0):
        """Numbers of two decimals, so that the file stays small and exact in its own terms."""
        return np.round(self.random.uniform(low, high, shape), 2).astype(np.float32)

    def add(self, name, compute, *inputs, gradients=True, seeds=None):
        """compute(*inputs) gives one array or a tuple. With `gradients`, those of the sum of all
        results times seeds (drawn here unless given), for every input of floats."""
        inputs = [np.asarray(x) for x in inputs]
        floats = [i for i, x in enumerate(inputs) if x.dtype == np.float32]

        def as_tuple(*chosen):
            x = list(inputs)
            for i, value in zip(floats, chosen):
                x[i] = value
            result = compute(*x)
            return result if isinstance(result, tuple) else (result,)

        given = [jnp.asarray(inputs[i]) for i in floats]
        results = [np.asarray(r) for r in as_tuple(*given)]
        entry = {"inputs": [tensor(x) for x in inputs], "results": [tensor(r) for r in results]}
        if gradients:
            seeds = seeds or [self.numbers(*r.shape) for r in results]

            def total(*chosen):
                pairs = zip(as_tuple(*chosen), seeds)
                return sum(jnp.sum(r * s) for r, s in pairs if s is not None)

            found = jax.grad(total, tuple(range(len(floats))))(*given)
            by_input = dict(zip(floats, found))
            entry["seeds"] = [None if s is None else tensor(s) for s in seeds]
            entry["gradients"] = [
                tensor(np.asarray(by_input[i])) if i in by_input else None
                for i in range(len(inputs))
            ]
        self.entries[name] = entry

    def save(self):
        lines = [f"{json.dumps(name)}: {text(entry)}" for name, entry in self.entries.items()]
        (FOLDER / f"{self.family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def tensor(x):
    return {"dtype": str(x.dtype), "shape": list(x.shape), "values": [number(v) for v in x.flat]}


def number(value):
    """The shortest decimal that reads back as the same float32; JSON has no word for infinity."""
    if isinstance(value, (np.integer, np.bool_)):
        return int(value)
    return float(str(value)) if np.isfinite(value) else str(value)


def text(entry):
    return json.dumps(entry, separators=(",", ":"))
