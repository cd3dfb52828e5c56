#!/usr/bin/env python3
"""What `inspect --stablehlo` prints is StableHLO: its own parser and verifier, as jax ships them, take it.

    stablehlo.py HORNBEAM

The training steps of the built-in models, with one replica and with eight, under every policy of dtypes. Ends with 1
if any is refused.
"""

import itertools
import subprocess
import sys

from jax.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

MODELS = ("lenet", "article-mlp", "article-cnn")


POLICIES = ("float32", "mixed_bfloat16")


def printed(hornbeam, model, replicas, policy):
    command = [hornbeam, "inspect", f"zoo:{model}", "--stablehlo", "--batch", "16", "--replicas", str(replicas),
               "--policy", policy]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problem_of(text):
    with make_ir_context():
        try:
            ir.Module.parse(text).operation.verify()
        except ir.MLIRError as error:
            return str(error)
    return None


def main():
    problems = 0
    for model in MODELS:
        for replicas, policy in itertools.product((1, 8), POLICIES):
            text = printed(sys.argv[1], model, replicas, policy)
            problem = problem_of(text)
            print(f"{model}, {replicas} replica(s), {policy}: {len(text.splitlines())} lines, {problem or 'valid'}")
            problems += problem is not None
    return min(problems, 1)


if __name__ == "__main__":
    sys.exit(main())
