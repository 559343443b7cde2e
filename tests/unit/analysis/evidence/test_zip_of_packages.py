"""Several packages in one zip."""

import io
import zipfile
from hashlib import sha256

import pytest

from analysis.evidence.zip_of_packages import zip_of
from storage.records import KeptPackage
from system.errors import UnknownId


def package(folder, number, data):
    path = folder / f"{number}.zip"
    path.write_bytes(data)
    return KeptPackage(
        number=number,
        path=str(path),
        sha256=sha256(data).hexdigest(),
        bytes=len(data),
        by="ana",
        excerpts=True,
        cases=(),
        works=(),
        matches=1,
    )


def test_packages_are_packed_as_they_are_piece_by_piece(tmp_path):
    contents = {"PD-2": b"x" * 3_000_000, "PD-1": b"", "PD-3": b"y"}
    packages = [package(tmp_path, number, data) for number, data in contents.items()]
    pieces = list(zip_of(packages))
    assert max(map(len, pieces)) < 1_200_000
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as together:
        assert together.testzip() is None
        assert {name: together.read(f"{name}.zip") for name in contents} == contents
        sums = together.read("SHA256SUMS").decode().splitlines()
    assert sums == [f"{packed.sha256}  {packed.number}.zip" for packed in packages]


def test_missing_package_is_reported_before_sending(tmp_path):
    packages = [package(tmp_path, number, b"x") for number in ("PD-1", "PD-2")]
    (tmp_path / "PD-2.zip").unlink()
    with pytest.raises(UnknownId, match="PD-2"):
        zip_of(packages)
