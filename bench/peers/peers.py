"""What the measurements beside other libraries share: their installation, workers that take turns, models and data."""
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import zipfile

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
build = root / "build" / "release"
program = build / "hornbeam"
bench_train = build / "bench" / "train" / "bench_train"
environment = root / "build" / "bench-peers"
packages = ("torch", "numpy", "keras", "jax")
# Lets PyTorch keep large blocks in huge pages instead of taking and giving them back at every step.
tuned_memory = {"THP_MEM_ALLOC_ENABLE": "1",
                "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:"
                                  "glibc.malloc.trim_threshold=17179869184"}


def install():
    """The Python of the peers; installs them from PyPI into one virtual environment the first time."""
    python = environment / "bin" / "python"
    if not python.exists():
        print("Installing", *packages, "into", environment, file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def keras_backends(python):
    """Those of jax and torch on which Keras runs here."""
    runs = lambda name: subprocess.run([python, "-c", "import keras"], capture_output=True,
                                       env={**os.environ, "KERAS_BACKEND": name}).returncode == 0
    return [name for name in ("jax", "torch") if runs(name)]


def machine():
    """Processor, cores and the instruction sets that matter here."""
    text = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    field = lambda name: next(line.split(":")[1].strip() for line in text if line.startswith(name))
    sets = [name for name in ("avx2", "avx512f", "avx512_bf16", "amx_bf16", "amx_tile") if name in field("flags").split()]
    return f"{field('model name')}, {len(os.sched_getaffinity(0))} cores, {' '.join(sets)}"


def spread(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def ratios(values, others):
    """Of values measured in the same rounds."""
    return [value / other for value, other in zip(values, others)]


class Worker:
    """A process that trains when told: "go SECONDS" gives samples per second, "memory" gives bytes."""

    def __init__(self, name, command, **extra):
        self.name, self.rates = name, []
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, **extra})
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{name} did not start")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return [float(number) for number in self.process.stdout.readline().split()]

    def go(self, seconds):
        self.rates.append(self.ask(f"go {seconds}")[0])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(workers, rounds, turn):
    """Every worker once a round, each round beginning with another one."""
    for number in range(rounds):
        for place in range(len(workers)):
            turn(workers[(number + place) % len(workers)])


def layer(name, config):
    return {"module": "keras.layers", "class_name": name, "config": config, "registered_name": None}


def write_model(path, layers, shape):
    """A Sequential model as Keras writes it. `layers`: pairs of class and config."""
    chain = [layer("InputLayer", {"batch_shape": [None, *shape], "name": "input"})]
    chain += [layer(name, {"name": f"layer_{number}", **config}) for number, (name, config) in enumerate(layers)]
    model = {"module": "keras", "class_name": "Sequential", "config": {"name": path.stem.replace("-", "_"), "layers": chain}}
    path.write_text(json.dumps(model))
    return path


def write_tiny_model(folder):
    return write_model(folder / "tiny.json", [("Dense", {"units": 16, "activation": "relu"}),
                                              ("Dense", {"units": 4, "activation": "softmax"})], (32,))


def npy(shape, content):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def write_data(path, samples, shape, classes):
    """Random bytes x and labels y in an .npz file."""
    size = samples
    for extent in shape:
        size *= extent
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", npy((samples, *shape), os.urandom(size)))
        archive.writestr("y.npy", npy((samples, 1), bytes(i % classes for i in range(samples))))
    return path
