"""Writes the archives that zip_test.cpp reads: python make.py (standard library only)."""

import os
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def archive(name):
    return zipfile.ZipFile(os.path.join(FOLDER, name), "w")


def entry(name, method):
    info = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
    info.compress_type = method
    return info


with archive("both_methods.zip") as file:
    file.writestr(entry("stored.txt", zipfile.ZIP_STORED), b"stored text")
    file.writestr(entry("folder/deflated.bin", zipfile.ZIP_DEFLATED), bytes(range(256)) * 8)
    file.writestr(entry("empty", zipfile.ZIP_STORED), b"")
    file.writestr(entry("h\u00e4gbuche.txt", zipfile.ZIP_DEFLATED), b"a name beyond ASCII")

with archive("zip64.zip") as file:  # 64-bit sizes in the local header, as numpy.savez writes them
    with file.open(entry("data", zipfile.ZIP_DEFLATED), "w", force_zip64=True) as stream:
        stream.write(b"0123456789" * 10)

with archive("zeros.zip") as file:  # the largest ratio that deflate reaches
    file.writestr(entry("zeros", zipfile.ZIP_DEFLATED), bytes(1_000_000))

with archive("bzip2.zip") as file:
    file.writestr(entry("data", zipfile.ZIP_BZIP2), b"data")
