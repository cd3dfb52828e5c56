"""PyTorch as a peer: trains the article's models, or the tiny one (32-16-4), on random data in memory.

Reads lines from standard input: "go SECONDS" runs whole training steps for at least that long and prints samples per
second; "memory" prints the highest resident bytes of the process. Ends after its first step with --one-step.
Usage: peer_torch.py MODEL BATCH THREADS LAYOUT [--one-step] [--compile] [--bfloat16]   (LAYOUT: contiguous or channels_last)
"""
import resource
import sys
import time

import torch
from torch import nn


def article_mlp():
    layers, width = [], 3072
    for units in (2048, 1024, 512, 256, 128, 64, 32, 16):
        layers += [nn.Linear(width, units), nn.BatchNorm1d(units, eps=1e-3, momentum=0.01), nn.ReLU(), nn.Dropout(0.5)]
        width = units
    return nn.Sequential(*layers, nn.Linear(width, 10))


def article_cnn():
    def block(channels, filters):
        return [nn.Conv2d(channels, filters, 3, padding=1), nn.BatchNorm2d(filters, eps=1e-3, momentum=0.01), nn.ReLU()]
    return nn.Sequential(*block(3, 96), nn.AvgPool2d(2), *block(96, 256), nn.AvgPool2d(2), *block(256, 384),
                         *block(384, 384), *block(384, 256), nn.Flatten(), nn.Linear(256 * 8 * 8, 10))


def tiny_mlp():
    return nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4))


MODELS = {"article-mlp": (article_mlp, (3072,), 10), "article-cnn": (article_cnn, (3, 32, 32), 10),
          "tiny-mlp": (tiny_mlp, (32,), 4)}


def main():
    name, batch, threads, layout = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    torch.set_num_threads(threads)
    make, shape, classes = MODELS[name]
    model = make()
    x, y = torch.rand((batch, *shape)), torch.randint(0, classes, (batch,))
    if layout == "channels_last":
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    loss_of = nn.CrossEntropyLoss()
    forward = torch.compile(model) if "--compile" in sys.argv else model
    precision = torch.autocast("cpu", torch.bfloat16, enabled="--bfloat16" in sys.argv)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with precision:
            loss = loss_of(forward(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    step()
    if "--one-step" in sys.argv:
        return
    step()
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "memory":
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, flush=True)
            continue
        seconds = float(line.split()[1])
        start, steps = time.perf_counter(), 0
        while steps == 0 or time.perf_counter() - start < seconds:
            step()
            steps += 1
        print(steps * batch / (time.perf_counter() - start), flush=True)


main()
