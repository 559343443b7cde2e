"""Write the reference of all commands into docs/commands.md and docs/zh/commands.md (``make reference``).

The text above the marker of a page stays. Below the marker every command appears as ``--help`` shows it, so
that page and program cannot differ. The language comes from the setting ``analysis.language``.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from deploy.cli.app import application

MARKER = "<!-- Made by `make reference`: change the help texts in deploy/cli, not this part. -->"
WIDTH = 100


def reference() -> str:
    """Return a section for each command and group, in the order of ``pindna --help``."""
    root = typer.main.get_command(application())
    return "\n".join(_sections(root, ("pindna",))) + "\n"


def page_with(page: str, sections: str) -> str:
    """Return a page with a new text below its marker.

    Args:
        page: with the marker in it.
        sections: as :func:`reference` makes them.
    """
    return f"{page.partition(MARKER)[0]}{MARKER}\n\n{sections}"


def _sections(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    children = getattr(command, "commands", None)
    if children is None:
        context = command.make_context(" ".join(words), [], resilient_parsing=True)
        context.terminal_width = context.max_content_width = WIDTH
        yield from (f"### `{' '.join(words)}`", "", "```text", command.get_help(context).strip(), "```", "")
        return
    for name, child in children.items():
        yield from _sections(child, (*words, name))


def main(paths: list[str]) -> None:
    """Rewrite pages in the language of the settings.

    Args:
        paths: of the pages.
    """
    for path in map(Path, paths):
        path.write_text(page_with(path.read_text(encoding="utf-8"), reference()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
