"""The version before this one: a separate tree, whose workers run together with those of this version.

Where the schema stays the same, operators restart the workers one after the other (``docs/backup.md``), so
two versions work on one database for a while. No release has this schema: 0.1.0 has an earlier one, and its
workers run only before ``pindna upgrade``. So the version before is a commit of the branch ``main``. Two
versions that judge pages differently do not end as a quiet run: after such a change no run has a worker of
the version before, until that change's commit is named here.
"""

import os
import re
import subprocess
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from support.unpacking import extract_all

from pindna import PACKAGES

VERSION_BEFORE = "3dfbe20a469b"
_ROOT = Path(__file__).parents[3]
# Versions with other values of these do not work side by side.
_SAME = (
    ("storage/collections/schema.py", r"^    (\d+): N_\("),
    ("crawler/extraction/page.py", r'^EXTRACTION_VERSION = "(\d+)"'),
)


# What decides what is found in a page.
_JUDGING = ("crawler/extraction", "fingerprint", "tracker/alignment", "tracker/comparison")
_JUDGING += ("tracker/judgement", ":!tracker/judgement/case*.py", "tracker/similarity")


def what_lacks() -> str:
    """Return why the version before is not here, or shares no database; empty: it is here and does."""
    if _git("cat-file", "-e", f"{VERSION_BEFORE}^{{commit}}") is None:
        return f"the history of the repository does not reach back to {VERSION_BEFORE}"
    for name, pattern in _SAME:
        before = (_git("show", f"{VERSION_BEFORE}:{name}") or b"").decode()
        now = (_ROOT / name).read_text(encoding="utf-8")
        if re.findall(pattern, before, re.MULTILINE) != re.findall(pattern, now, re.MULTILINE):
            return f"{VERSION_BEFORE} has another {name}"
    return ""


def has_same_judging() -> bool:
    """Return whether the version before has the same files that decide what is found in a page."""
    return _git("diff", "--quiet", VERSION_BEFORE, "--", *_JUDGING) is not None


def unpack(folder: Path) -> Path:
    """Unpack the version before in a folder that does not exist, and return it."""
    archive = _git("archive", VERSION_BEFORE, "pindna.py", "scrapy.cfg", *PACKAGES)
    if archive is None:
        raise RuntimeError(f"git makes no archive of {VERSION_BEFORE}")
    folder.mkdir()
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        extract_all(packed, folder)
    return folder


def environment_in(tree: Path) -> Mapping[str, str]:
    """Return what lets a process and its children import the packages of a tree."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(tree), os.environ.get("PYTHONPATH"))))}


def _git(*arguments: str) -> bytes | None:
    """Return what git prints; None: it fails, or there is no git."""
    try:
        done = subprocess.run(["git", "-C", _ROOT, *arguments], capture_output=True, check=False)  # noqa: S607
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout
