#!/usr/bin/env python3
"""Makes every number of this folder with Keras on JAX: generate.py [--only NAME] [--large FOLDER]."""

import argparse
import importlib
import os
import sys
from pathlib import Path

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).resolve().parent))

GENERATORS = ["layers", "optimizers", "constraints", "losses", "metrics", "models", "policies", "files"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=GENERATORS, help="one group of numbers")
    parser.add_argument("--large", metavar="FOLDER", type=Path,
                        help="only the article's full-size models, which the repository does not hold, into FOLDER")
    options = parser.parse_args()
    if options.large:
        importlib.import_module("generators.models").generate_large(options.large)
        return
    for name in [options.only] if options.only else GENERATORS:
        print(f"{name} …", flush=True)
        importlib.import_module(f"generators.{name}").generate()


if __name__ == "__main__":
    main()
