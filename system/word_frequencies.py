"""Word rarity without a measured corpus: jieba's IDF table, read from its package.

The package ``jieba`` provides the dictionary that words are cut by (:mod:`system.segmentation`) and contains
``analyse/idf.txt``: 270,132 words with ln(N / n_w), as its author measured them in N = 1,088,899 texts of
modern Chinese. The counts n_w are recovered exactly (the powers are whole numbers to 10⁻⁴), so the table
becomes a normal :class:`fingerprint.idf.Idf`. As in jieba, a word that is not in the table gets the table's
median. Such words are names and fragments created by edits; with the highest weight they would decide every
comparison.

This module reads data files only and never runs jieba's code. Importing jieba would add a log handler for
standard error, require ``pkg_resources``, and load a cache with a fixed name from the shared temporary
folder, where another user could plant a file.

Complexity: O(words), once per process.
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
        path: folders and file name within the package.

    Raises:
        ModuleNotFoundError: jieba is not installed.
        OSError: the file does not exist.
    """
    spec = find_spec("jieba")
    if spec is None:
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")
    return files(module_from_spec(spec)).joinpath(*path).read_bytes()  # the module is created, not executed


@cache
def jieba_idf() -> Idf:
    """Return jieba's IDF table; its name is derived from the file's content.

    Raises:
        ModuleNotFoundError: jieba is not installed.
        OSError, ValueError: the table is missing or has another format.
    """
    content = read_jieba_file("analyse", "idf.txt")
    fields = content.decode().split()
    logs = np.fromiter(map(float, fields[1::2]), np.float64)
    highest = float(logs.max())  # of a word that occurs in one text: ln N
    counts = np.rint(np.exp(highest - logs)).astype(np.int64)
    return Idf(
        name=f"jieba{hashlib.sha256(content).hexdigest()[:8]}",
        documents=round(math.exp(highest)),
        counts=MappingProxyType(dict(zip(fields[::2], counts.tolist(), strict=True))),
        unknown=int(np.median(counts)),
    )
