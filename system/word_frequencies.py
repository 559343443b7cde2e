"""How rare words are where no corpus was measured: jieba's IDF table, read from its package.

The package ``jieba`` owns the dictionary that words are cut by (:mod:`system.segmentation`) and ships
``analyse/idf.txt``: 270,132 words with ln(N / n_w), as its author measured them in N = 1,088,899 texts of
modern Chinese. The counts n_w come back exactly (the powers are whole numbers to 10⁻⁴), so the table is an
:class:`fingerprint.idf.Idf` like a measured one. A word that it lacks gets the table's median, as with jieba:
such words are names and what edits made of others, and the highest weight would let them decide.

Only data files are read; jieba's code is never run. Imported, it would add a handler that logs to standard
error, ask for ``pkg_resources``, and keep a cache under a fixed name in the shared temporary folder, from
where it loads what somebody else put there.

Complexity: O(words) once a process.
"""

import hashlib
import math
from functools import cache
from importlib.resources import files
from importlib.util import find_spec, module_from_spec
from types import MappingProxyType

import numpy as np

from fingerprint.idf import Idf


def read_jieba_file(*path: str) -> bytes:
    """Return a data file of the package ``jieba`` without importing the package.

    Args:
        path: folders and name inside the package.

    Raises:
        ModuleNotFoundError: jieba is not installed.
        OSError: it has no such file.
    """
    spec = find_spec("jieba")
    if spec is None:
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")
    return files(module_from_spec(spec)).joinpath(*path).read_bytes()  # the module is made, not run


@cache
def jieba_idf() -> Idf:
    """Return jieba's IDF table; the name inside is made from the file's content.

    Raises:
        ModuleNotFoundError: jieba is not installed.
        OSError, ValueError: its table is not there, or is something else.
    """
    content = read_jieba_file("analyse", "idf.txt")
    fields = content.decode().split()
    logs = np.fromiter(map(float, fields[1::2]), np.float64)
    highest = float(logs.max())  # of a word that one text holds: ln N
    counts = np.rint(np.exp(highest - logs)).astype(np.int64)
    return Idf(
        name=f"jieba{hashlib.sha256(content).hexdigest()[:8]}",
        documents=round(math.exp(highest)),
        counts=MappingProxyType(dict(zip(fields[::2], counts.tolist(), strict=True))),
        unknown=int(np.median(counts)),
    )
