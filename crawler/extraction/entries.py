"""What an encyclopedia prints in an entry that is not its text: facts in rows, edit links, notes. Linear.

An entry is recognised by its edit links: 编辑 next to several headings. Its rows of facts (中文名, 外文名 …)
are a table or a definition list with short labels. Its notes say which picture is missing. A table in another
text stays. Pure.
"""

import re
from collections.abc import Sequence

from crawler.extraction.outline import Line, Outline
from crawler.extraction.parsing import Element, is_element

_EDIT = re.compile(
    r"(?:.{1,30})?[\[［【(（](?:编辑|編輯|edit)(?:本段)?[\]］】)）]|(?:播报|编辑|編輯|编辑本段|編輯本段){1,2}"
)
_MAY_EDIT = re.compile("[编編]|edit|播报")
_NOTE = re.compile(
    r"[\[［【(（]?(?:(?:播报|编辑|編輯|编辑本段|編輯本段|锁定|讨论|討論|上传视频|展开|收起){1,3}"
    r"|(?:暂无|暂缺|缺少|缺失|尚无)(?:概述|词条|名片|相关)?图片?|(?:图片|概述图|名片图)(?:缺失|暂缺|待补充)"
    r"|本词条(?:缺少|缺乏|由).{2,60}|此条目.{0,10}(?:需要|缺少|没有).{2,60})[\]］】)）]?[。！]?"
)
_FACTS = re.compile(
    r"(?:^|[\s_-])(?:infobox|info-?box|basic-?info(?:rmation)?|lemma-?info|base-?info|wiki-?info|info-?card)(?:[\s_-]|$)",
    re.IGNORECASE,
)
_LISTS = frozenset({"dl", "table"})
_LABELS = frozenset({"dt", "th"})
_MIN_EDITS = 2
_MIN_FACTS = 2  # minimum number of labels in rows of facts
_MAX_LABEL_CHARS = 10
_MAX_EDIT_CHARS = 40
_MAX_NOTE_CHARS = 70
_MAX_SHARE = 0.5  # maximum share of the rows in an entry's characters
_MAX_FACT_CHARS = 40  # a longer sentence is text


def is_entry(page: Outline) -> bool:
    """Return whether a page is an entry of an encyclopedia: several lines invite readers to edit."""
    short = (
        line.text for line in page.lines if line.chars <= _MAX_EDIT_CHARS and _MAY_EDIT.search(line.text)
    )
    return sum(_EDIT.fullmatch("".join(text.split())) is not None for text in short) >= _MIN_EDITS


def entry_text(page: Outline, lines: Sequence[Line], inside: range) -> list[Line]:
    """Return the lines of an entry without its facts, edit links and notes; long sentences stay.

    Args:
        page: the page, an entry.
        lines: the lines of the article's block.
        inside: numbers of the blocks in it, itself first.
    """
    facts = _fact_blocks(page, lines, inside)
    return [
        line
        for line in lines
        if not _is_note(line)
        and (line.block not in facts or (line.is_prose and line.chars > _MAX_FACT_CHARS))
    ]


def _fact_blocks(page: Outline, lines: Sequence[Line], inside: range) -> set[int]:
    """Return the blocks of rows of facts, which are never most of an entry."""
    counts = [0.0] * len(page.elements)
    for line in lines:
        counts[line.block] += line.chars
    chars = page.sums(counts)
    facts: set[int] = set()
    for block in inside[1:]:
        is_small = chars[block] <= _MAX_SHARE * chars[inside[0]]
        if block not in facts and is_small and _holds_facts(page.elements[block]):
            facts.update(range(block, page.ends[block]))
    return facts


def _holds_facts(element: Element) -> bool:
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if _FACTS.search(names):
        return True
    if element.tag not in _LISTS:
        return False
    labels = [node for node in element.iter(*_LABELS) if is_element(node)]
    short = sum(0 < len("".join("".join(node.itertext()).split())) <= _MAX_LABEL_CHARS for node in labels)
    return short >= _MIN_FACTS and 2 * short > len(labels) and _is_paired(element)


def _is_paired(element: Element) -> bool:
    """Return whether each label has its own value: ``dt`` and ``dd``, or a row with ``th`` and ``td``."""
    if element.tag == "dl":
        return len(list(element.iter("dd"))) >= _MIN_FACTS
    rows = [row for row in element.iter("tr") if row.find("th") is not None]
    return bool(rows) and all(row.find("td") is not None for row in rows[-_MIN_FACTS:])


def _is_note(line: Line) -> bool:
    """Return whether a line of an entry is an edit link, or says that something is missing."""
    return line.chars <= _MAX_NOTE_CHARS and _NOTE.fullmatch("".join(line.text.split())) is not None
