"""The version before this one: a tree of its own, whose workers run beside those of this version.

Where the schema stays the same, operators restart the workers one after the other (``docs/backup.md``), so
two versions work on one database for a while. No release has this schema: 0.1.0 has an earlier one, and its
workers run only before ``pindna upgrade``. So the version before is a commit of the branch ``main``. Two
versions that judge pages differently do not end as a quiet run: after such a change no run has a worker of
the version before, until that change's commit is named here.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from support.history.world import make_world
from support.unpacking import extract_all
from support.watched import chapter

from pindna import PACKAGES

VERSION_BEFORE = "3dfbe20a469b"
_ROOT = Path(__file__).parents[3]
# Versions with other values of these do not work side by side.
_SAME = (
    ("storage/collections/schema.py", r"^    (\d+): N_\("),
    ("crawler/extraction/page.py", r'^EXTRACTION_VERSION = "(\d+)"'),
)
_JUDGED = ("verdict", "chars", "copied_chars", "rest_verdict")
_OF_MATCHES = ("work", "passage", "verdict", "copied_chars", "part")


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


@cache
def why_not() -> str:
    """Return why no worker of the version before can run beside this one; empty: one can."""
    if reason := what_lacks():
        return reason
    with TemporaryDirectory() as name:
        folder = Path(name)
        before = environment_in(unpack(folder / "before"))
        is_same = judgements(folder / "first", before) == judgements(folder / "second", {})
    return "" if is_same else f"{VERSION_BEFORE} judges pages differently"


def judgements(folder: Path, environment: Mapping[str, str]) -> object:
    """Return what ``pindna check`` finds in the pages of a world.

    Args:
        folder: that does not exist, for its files.
        environment: that chooses the version.
    """
    (folder / "works").mkdir(parents=True)
    world = make_world(1, sites=2)
    for work in (work for works in world.works for work in works):
        text = "\n\n".join(f"{section.title}\n{section.text}" for section in work.sections)
        (folder / "works" / work.origin).write_text(text, encoding="utf-8")
    pages = {page.text for site in world.sites for day in site.days for page in day.values() if page.text}
    for number, text in enumerate(sorted(pages)):
        (folder / f"{number:02}.html").write_text(chapter(text), encoding="utf-8")
    names = sorted(path.name for path in folder.glob("*.html"))
    program = [sys.executable, "-P", "-c", "from pindna import main; main()", "check", "--json"]
    command = [*program, "--corpus", "works", *names]
    found = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False
    )
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    if len(rows) != len(names):
        raise RuntimeError(found.stderr.decode())
    return [
        ([row[name] for name in _JUDGED], [[match[name] for name in _OF_MATCHES] for match in row["matches"]])
        for row in rows
    ]


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
