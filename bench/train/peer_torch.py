"""PyTorch as a peer: trains the article's models on random data in memory.

Reads "go SECONDS" lines from standard input; after each, runs whole training steps for at least that long and prints
samples per second. Usage: peer_torch.py MODEL BATCH THREADS LAYOUT   (LAYOUT: contiguous or channels_last)
"""
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


def main():
    name, batch, threads, layout = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    torch.set_num_threads(threads)
    model = {"article-mlp": article_mlp, "article-cnn": article_cnn}[name]()
    shape = (batch, 3072) if name == "article-mlp" else (batch, 3, 32, 32)
    x, y = torch.rand(shape), torch.randint(0, 10, (batch,))
    if layout == "channels_last":
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(2):
        step()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds = float(line.split()[1])
        start, steps = time.perf_counter(), 0
        while steps == 0 or time.perf_counter() - start < seconds:
            step()
            steps += 1
        print(steps * batch / (time.perf_counter() - start), flush=True)


main()
