"""Writes the HDF5 files that hdf5_test.cpp reads: python make.py (needs h5py 3 and numpy).

default.h5, v108.h5 and latest.h5 hold the same objects in the three generations of the format;
Keras writes the first. The numbers are simple formulas, which the test repeats.
"""

import os

import h5py
import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
GENERATIONS = {"default": None, "v108": ("v108", "v108"), "latest": "latest"}
NUMBERS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def path_of(name):
    return os.path.join(FOLDER, name + ".h5")


def text_type(size, padding, charset=h5py.h5t.CSET_ASCII):
    result = h5py.h5t.C_S1.copy()
    result.set_size(size)
    result.set_strpad(padding)
    result.set_cset(charset)
    return result


def low_level_texts(group, name, texts, size, padding):
    space = h5py.h5s.create_simple((len(texts),))
    kind = text_type(size, padding)
    dataset = h5py.h5d.create(group.id, name.encode(), kind, space)
    filler = b" " if padding == h5py.h5t.STR_SPACEPAD else b"\0"
    data = np.array([text.ljust(size, filler) for text in texts], dtype=f"V{size}")
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data, mtype=kind)


def write_numbers(group):
    for code in NUMBERS:
        values = np.arange(1, 7).reshape(2, 3)
        group[code] = values.astype("<" + code)
        group["big_" + code] = values.astype(">" + code)
    group["bool"] = np.array([True, False, True])
    group["halves"] = np.array([0, -0.0, 1 / 3, 65504, 2**-24, np.inf, np.nan], "f2")
    bfloat16 = group.create_dataset("bfloat16", data=np.array([0x3F80, 0xC020], "<u2").view("V2"))
    bfloat16.attrs["dtype"] = "bfloat16"  # 1 and -2.5, as Keras writes them
    group["scalar"] = np.float32(2.5)
    group["too_large"] = np.array([2**64 - 1], "u8")


def write_storage(group):
    # 77 numbers, chunks that do not divide the extents
    values = np.arange(77, dtype="f4").reshape(7, 11) / 4
    kinds = {
        "plain": {},
        "deflate": {"compression": "gzip"},
        "shuffle": {"compression": "gzip", "shuffle": True},
        "checksum": {"fletcher32": True},
        "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    }
    for name, options in kinds.items():
        group.create_dataset("chunks_" + name, data=values, chunks=(3, 4), **options)
    group.create_dataset("one_chunk", data=values, chunks=(7, 11))
    group.create_dataset("one_packed_chunk", data=values, chunks=(7, 11), compression="gzip")
    group.create_dataset("big_chunks", data=values.astype(">f4"), chunks=(4, 4), compression="gzip")
    cube = np.arange(60, dtype="i4").reshape(3, 4, 5)
    group.create_dataset("cube", data=cube, chunks=(2, 3, 2), shuffle=True)
    holes = group.create_dataset("holes", (6,), "f4", chunks=(2,), fillvalue=5)
    holes[2:4] = [1, 2]
    group.create_dataset("never_written", (3, 4), "f4")
    group.create_dataset("never_written_filled", (3,), "i4", fillvalue=7)
    group.create_dataset("no_rows", (0, 5), "f4")
    group["null"] = h5py.Empty("f4")
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((3,))
    dataset = h5py.h5d.create(group.id, b"compact", h5py.h5t.IEEE_F32LE, space, compact)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2, 3], "f4"))


def write_texts(group):
    group["fixed"] = np.array([b"kernel", b"", b"b"], "S6")
    group["variable"] = np.array(["h\u00e4gbuche", "", "x"], dtype=h5py.string_dtype())
    group["ascii"] = np.array([b"one"], dtype=h5py.string_dtype("ascii"))
    group["scalar"] = "hornbeam"
    low_level_texts(group, "spaces", [b"ab", b" c"], 4, h5py.h5t.STR_SPACEPAD)
    low_level_texts(group, "terminated", [b"ab", b"cde"], 4, h5py.h5t.STR_NULLTERM)


def write_attributes(group):
    group.attrs["text"] = "Adam \u03b2"
    group.attrs["bytes"] = np.bytes_("fixed")
    group.attrs["texts"] = ["dense", "", "conv2d"]
    group.attrs["fixed_texts"] = np.array([b"kernel:0", b"bias:0"])
    group.attrs["no_texts"] = np.array([])  # old Keras: weight_names of a layer without weights
    group.attrs["number"] = 3
    group.attrs["numbers"] = np.array([1.5, 2.5])
    group.attrs["empty"] = h5py.Empty("S1")
    many = group.create_group("many")  # more than eight: a fractal heap in new files
    for i in range(60):
        many.attrs[f"attribute_{i}"] = i
    large = group.create_group("large")
    large.attrs["long_text"] = "0123456789" * 700  # 7,000 letters in the global heap
    large.attrs["name_list"] = np.array([f"layer_{i:03}".encode() for i in range(700)])  # 6,300 bytes


def write_groups(file, links):
    file["nested/a/b/c/deep"] = np.array([4, 2], "i4")
    file.create_group("nothing")
    file.create_group("h\u00e4gbuche")["x"] = np.float32(1)
    file.create_group("ordered", track_order=True)["x"] = np.float32(1)
    wide = file.create_group("wide")  # deep trees
    wide["link_0"] = np.array([9], "i4")
    for i in range(1, links):
        wide[f"link_{i}"] = wide["link_0"]
    ring = file.create_group("ring")
    ring["round"] = ring


def write_unread(group):
    group["compound"] = np.zeros(2, [("a", "f4"), ("b", "i4")])
    group["complex"] = np.zeros(2, "c8")
    group.create_dataset("lzf", data=np.zeros(8, "f4"), compression="lzf")
    group.create_dataset("resizable", data=np.arange(5, dtype="f4"), maxshape=(None,), chunks=(2,))
    group["soft"] = h5py.SoftLink("/numbers/f4")
    group["external"] = h5py.ExternalLink("other.h5", "/x")
    group.file["named_type"] = np.dtype("f4")
    group.create_dataset("of_named_type", data=[1, 2], dtype=group.file["named_type"])


def write_generation(name, libver):
    with h5py.File(path_of(name), "w", libver=libver) as file:
        write_numbers(file.create_group("numbers"))
        write_storage(file.create_group("storage"))
        write_texts(file.create_group("texts"))
        write_attributes(file.create_group("attributes"))
        write_groups(file, 1300 if name == "latest" else 150)
        write_unread(file.create_group("unread"))


for generation, libver in GENERATIONS.items():
    write_generation(generation, libver)

with h5py.File(path_of("many_chunks"), "w", libver="latest") as file:  # pages of a fixed array
    file.create_dataset("x", data=np.arange(2100, dtype="i2"), chunks=(2,))
    sparse = file.create_dataset("sparse", (4200,), "u1", chunks=(2,))
    sparse[4100:4104] = [1, 2, 3, 4]

with h5py.File(path_of("user_block"), "w", userblock_size=512) as file:
    file["x"] = np.array([1, 2, 3], "f4")
