"""Prints a digest of all groups, attributes and datasets of HDF5 files as h5py reads them.

    python digest.py FOLDER > shared_models.tsv

Each line names a file below FOLDER and gives the CRC-32 over everything in it, as hdf5_test.cpp
computes it. Files inside .keras archives are included.
"""

import io
import os
import sys
import zipfile
import zlib

import h5py
import numpy as np

OURS = {  # the element types that Hornbeam reads others as
    "float16": "float32", "int8": "int32", "int16": "int32", "uint16": "int32",
    "uint32": "int64", "uint64": "int64",
}


class Digest:
    def __init__(self):
        self.value = 0

    def add(self, data):
        self.value = zlib.crc32(data, self.value)

    def array(self, array):
        array = np.asarray(array)
        name = OURS.get(array.dtype.name, array.dtype.name)
        shape = ", ".join(str(extent) for extent in array.shape)
        self.add(f"{name} ({shape})\n".encode())
        self.add(np.ascontiguousarray(array).astype(np.dtype(name).newbyteorder("<")).tobytes())

    def texts(self, texts):
        for text in np.atleast_1d(np.asarray(texts, dtype=object)).ravel():
            self.add((text if isinstance(text, bytes) else text.encode()) + b"\n")

    def values(self, value):
        array = np.asarray(value)
        self.texts(array.tolist()) if array.dtype.kind in "SUO" else self.array(array)

    def group(self, group):
        self.add(group.name.encode() + b"\n")
        for name in sorted(group.attrs, key=str.encode):
            self.add(b"@" + name.encode() + b"\n")
            value = group.attrs[name]
            if np.size(value) > 0:
                self.values(value)
        for name in sorted(group, key=str.encode):
            member = group[name]
            if isinstance(member, h5py.Group):
                self.group(member)
            else:
                self.add(member.name.encode() + b"\n")
                self.values(member[()])


def digest(content):
    result = Digest()
    with h5py.File(io.BytesIO(content)) as file:
        result.group(file)
    return result.value


for folder, folders, files in os.walk(sys.argv[1]):
    folders.sort()
    for name in sorted(files):
        path = os.path.join(folder, name)
        relative = os.path.relpath(path, sys.argv[1])
        if name.endswith((".h5", ".hdf5")):
            print(relative, f"{digest(open(path, 'rb').read()):08x}", sep="\t")
        elif name.endswith(".keras"):
            content = zipfile.ZipFile(path).read("model.weights.h5")
            print(relative, f"{digest(content):08x}", sep="\t")
