"""The IDF table of jieba, which gives the rarity of words if no corpus was measured.

The package ``jieba`` contains the file ``analyse/idf.txt``, which lists 270,132 words with ln(N / n_w). Its
author measured them in N = 1,088,899 texts of modern Chinese. This module recovers the counts n_w (before
rounding they are whole numbers to 10⁻⁴), so the table becomes a normal :class:`fingerprint.idf.Idf`. As in
jieba, a word that is not in the table gets the median count of the table. Such words are names, and fragments
that result from edits. With the highest weight they would decide every comparison.

This module only reads data files and never runs jieba's code. Importing jieba would add a log handler for
standard error, require ``pkg_resources``, and load a cache file with a fixed name from the shared temporary
folder, where another user could place a harmful file.

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
    highest = float(logs.max())  # ln N, the value of a word that occurs in one text
    counts = np.rint(np.exp(highest - logs)).astype(np.int64)
    return Idf(
        name=f"jieba{hashlib.sha256(content).hexdigest()[:8]}",
        documents=round(math.exp(highest)),
        counts=MappingProxyType(dict(zip(fields[::2], counts.tolist(), strict=True))),
        unknown=int(np.median(counts)),
    )
