"""Whether this version and the one before find the same in the same pages: else their workers do not fit."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support.history.earlier import environment_in, has_same_judging
from support.history.world import make_world
from support.watched import chapter

_JUDGED = ("verdict", "chars", "copied_chars", "rest_verdict")
_OF_MATCHES = ("work", "passage", "verdict", "copied_chars", "part")


def judges_alike(tree: Path, folder: Path) -> bool:
    """Return whether the version in a tree finds in pages what this one finds.

    Args:
        tree: of the version before.
        folder: for files.
    """
    if has_same_judging():
        return True
    return judgements(folder / "before", environment_in(tree)) == judgements(folder / "this", {})


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
        (
            [row.get(name) for name in _JUDGED],
            [[match.get(name) for name in _OF_MATCHES] for match in row["matches"]],
        )
        for row in rows
    ]
