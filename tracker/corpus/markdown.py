"""Markdown (CommonMark): its text without the marks, and its front matter.

Front matter is YAML between lines of ---, or TOML between lines of +++. Parsing emphasis and links takes time
with the square of a paragraph's length and marks, and parsing blocks takes three seconds a megabyte. So a
paragraph that is long, or has very many marks, keeps its marks, which do not affect comparison. A text longer
than ``MAX_CHARS`` is read as plain text.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import tzinfo
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.content import NO_METADATA, Content, WorkMetadata, metadata_from
from tracker.corpus.texts import storable

MAX_CHARS = 2_000_000
_MAX_INLINE_CHARS = 1_000
_MAX_INLINE_MARKS = 100
_BLOCKS = MarkdownIt("commonmark").disable("inline")
_INLINE = MarkdownIt("commonmark")
_HEADINGS = ("h1", "h2", "h3")
_TAG = re.compile(r"<[^<>]*>")
_MARKS = re.compile(r"[*_`\[\]<&\\]")
_MAX_FRONT_CHARS = 1 << 14
_FRONT = re.compile(
    r"\ufeff?(?P<mark>---|\+\+\+)[ \t]*\n(?P<front>.*?\n)??(?P=mark)[ \t]*(?:\n|$)", re.DOTALL
)


class _Loader(yaml.BaseLoader):
    """A YAML loader for lists, names and texts. It rejects other types, and aliases, which may explode."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node.

        Raises:
            YAMLError: it is an alias.
        """
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


_NULL = "tag:yaml.org,2002:null"
_Loader.add_implicit_resolver(_NULL, re.compile("(?:~|null|Null|NULL)$"), ["~", "n", "N"])
_Loader.add_constructor(_NULL, lambda _loader, _node: None)


class BadFrontMatter(PindnaError):
    """The front matter of a Markdown text cannot be read.

    Attributes:
        path: the file or folder.
    """

    template = (
        "Ignored the front matter of {path}: it is not YAML or TOML. Write a line like title: … "
        "for each field."
    )


def read_markdown(text: str, path: Path, *, zone: tzinfo) -> Content:
    """Return the visible text of Markdown, with its headings and front matter.

    Args:
        text: with line ends as LF.
        path: its name in messages.
        zone: of dates without a zone.
    """
    front = _FRONT.match(text[:_MAX_FRONT_CHARS])
    metadata, remarks = NO_METADATA, tuple[PindnaError, ...]()
    if front is not None:
        text = text[front.end() :]
        metadata, remarks = _front_matter_metadata(front["mark"], front["front"] or "", path, zone)
    if len(text) > MAX_CHARS:
        return Content(text=text, metadata=metadata, remarks=remarks)
    shown, headings = _text_and_headings(text)
    return Content(text=storable(shown), headings=headings, metadata=metadata, remarks=remarks)


def _text_and_headings(text: str) -> tuple[str, dict[int, str]]:
    """Return the text without marks, and its headings by start offset."""
    lines: list[str] = []
    headings: dict[int, str] = {}
    at, is_heading = 0, False
    for token in _BLOCKS.parse(text):
        if token.type in {"heading_open", "heading_close"}:
            is_heading = token.type == "heading_open" and token.tag in _HEADINGS
            continue
        line = _visible_text(token)
        if not line.strip():
            continue
        if is_heading:
            headings[at] = " ".join(line.split())
        lines.append(f"{line}\n")
        at += len(line) + 1
    return "".join(lines), headings


def _visible_text(token: Token) -> str:
    """Return the visible text of a block."""
    if token.type == "html_block":
        return _TAG.sub("", token.content).rstrip("\n")
    if token.type != "inline":
        return token.content.rstrip("\n")
    marks = len(_MARKS.findall(token.content)) if len(token.content) <= _MAX_INLINE_CHARS else 0
    if not 0 < marks <= _MAX_INLINE_MARKS:
        return token.content
    (paragraph,) = _INLINE.parseInline(token.content)
    return "".join(
        "\n" if child.type in {"softbreak", "hardbreak"} else child.content
        for child in paragraph.children or ()
        if child.type != "html_inline"
    )


def _front_matter_metadata(
    mark: str, front: str, path: Path, zone: tzinfo
) -> tuple[WorkMetadata, tuple[PindnaError, ...]]:
    try:
        values = yaml.load(front, _Loader) if mark == "---" else tomllib.loads(front)  # noqa: S506 - a BaseLoader
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return NO_METADATA, (BadFrontMatter(path=readable(path)),)
    if not isinstance(values, Mapping):
        return NO_METADATA, ()
    fields: dict[str, Any] = {name.lower(): value for name, value in values.items() if isinstance(name, str)}
    return metadata_from(fields, path, zone)
