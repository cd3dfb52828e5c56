"""Writes the .npy and .npz files of this folder with NumPy; npy_test.cpp and npz_test.cpp read them."""

import io
import pathlib
import zipfile

import numpy as np

folder = pathlib.Path(__file__).parent


def npy(name, array, version=None):
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.asarray(array), version=version)


two_by_three = [[1, 2, 3], [4, 5, 6]]
for code in ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
    npy(f"little_{code}", np.array(two_by_three, "<" + code))
    if code[1] != "1":
        npy(f"big_{code}", np.array(two_by_three, ">" + code))
npy("bool", np.array([[True, False, True], [False, False, True]]))
npy("column_major", np.array(two_by_three, "<f4", order="F"))
npy("column_major_4d", np.asfortranarray(np.arange(120, dtype="<i4").reshape(2, 3, 4, 5)))
npy("scalar", np.float64(2.5))
npy("empty", np.zeros((0, 5), "<f4"))
for version in [1, 2, 3]:
    npy(f"version_{version}", np.array(two_by_three, "<f4"), (version, 0))
npy("halves", np.array([1.5, -2.0, 65504, 6e-8, -0.0, np.inf, -np.inf, np.nan], "<f2"))
npy("int_limits", np.array([-128, 127], "<i1"))
npy("uint32_limit", np.array([2**32 - 1], "<u4"))
npy("uint64_too_large", np.array([1, 2**63], "<u8"))
npy("object", np.array([[1, 2], [3]], dtype=object))
npy("text", np.array(["a", "b"]))
npy("complex", np.array([1j]))
npy("structured", np.array([(1, 2.0)], [("a", "<i4"), ("b", "<f4")]))

x, y = np.array(two_by_three, "<f4"), np.array([0, 1], "<i8")
np.savez(folder / "stored.npz", x=x, y=y)
np.savez_compressed(folder / "compressed.npz", x=np.asfortranarray(x), y=y)
np.savez(folder / "with_object.npz", x=x, words=np.array([[1], []], dtype=object))
