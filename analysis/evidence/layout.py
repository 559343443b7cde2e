"""The file layout of an evidence package.

A package is a zip with one top folder, named by the package's number. The folder is a bag (BagIt, RFC 8493):
``manifest-sha256.txt`` lists the payload below ``data/``. ``tagmanifest-sha256.txt`` lists all other files
except those below ``seal/``. The seal signs the bytes of ``tagmanifest-sha256.txt`` and so covers everything
else. Names are relative to the top folder. Every ``.jsonl`` file contains one JSON object in a line, so
packages of any size are written and read line by line.
"""

FORMAT = 1
"""Version of this layout, in ``data/evidence.json``."""

BAGIT = "bagit.txt"
BAG_INFO = "bag-info.txt"
MANIFEST = "manifest-sha256.txt"
TAG_MANIFEST = "tagmanifest-sha256.txt"
TAG_FILES = (BAGIT, BAG_INFO, MANIFEST)
"""The files in ``TAG_MANIFEST``, in its order."""

SEAL = "seal/"
"""Signature, timestamps and proofs of inclusion; the only files in no manifest."""

DATA = "data/"
EVIDENCE = "data/evidence.json"
"""Format, number, time, maker, key, parameters, versions and missing records."""

CASES = "data/cases.jsonl"
"""The stored cases of the matches."""

MATCHES = "data/matches.jsonl"
"""The stored matches."""

PAGES = "data/pages.jsonl"
"""The stored pages of the matches, without their texts."""

PASSAGES = "data/passages.jsonl"
"""The stored passages of the matches, without their texts."""

WORKS = "data/works.jsonl"
"""The stored works of the passages."""

CAPTURES = "data/captures.jsonl"
"""The captures of the pages without their records, each with its problem, if any."""

SESSIONS = "data/cleanliness.jsonl"
"""The environments in which the captures were made; packages of earlier versions have none."""

VISITS = "data/visits.jsonl"
"""Visits, looks and events of the pages' addresses; ``record`` is the kind of each object."""

HISTORY = "data/history.jsonl"
"""The events of the cases, in order."""

ARCHIVE = "data/archive.wacz"
REPORT_HTML = "data/report.html"
REPORT_PDF = "data/report.pdf"

SCREENSHOTS = "data/screenshots/"
"""Screenshots of rendered pages, PNG, named by their SHA-256; also in the archive."""

PAGE_TEXTS = "data/pages/"
PASSAGE_TEXTS = "data/passages/"
STRETCHES = "data/stretches/"
INPUTS = "data/inputs/"
"""Folder of all other inputs of extraction and judgement, see :mod:`analysis.evidence.inputs`."""


def page_text(page_id: str) -> str:
    """Return the name of a page's text (UTF-8)."""
    return f"{PAGE_TEXTS}{page_id}.txt"


def page_rest(page_id: str) -> str:
    """Return the name of the rest of a page's text (UTF-8). A page without a rest has no such file."""
    return f"{PAGE_TEXTS}{page_id}.rest.txt"


def passage_text(passage_id: int) -> str:
    """Return the name of a passage's text (UTF-8). A package of excerpts has none."""
    return f"{PASSAGE_TEXTS}{passage_id}.txt"


def stretches(passage_id: int) -> str:
    """Return the name of the stretches that replace a passage in a package of excerpts.

    One line each, disjoint and in order: ``{"start", "end", "text"}``, in characters of the passage.
    """
    return f"{STRETCHES}{passage_id}.jsonl"
