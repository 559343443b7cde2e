"""Exported chats: Telegram's JSON, and the text files of QQ and WeChat.

Only the texts and links of messages are read; who wrote them is not stored.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.discovery.files import ImportedFile
from analysis.discovery.rows import ImportRow
from analysis.discovery.tables import addresses_in, is_host
from system.json_objects import iter_objects

_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_MAX_TEXT_CHARS = 10_000
_MAX_LINES = 200
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9./:_-]{3,300}")
# The line above a message: a date with a time, and who wrote it, in this or the other order.
_DATE = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_TIME = r"(?:上午|下午|[AP]M)?\s*\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AP]M)?"
_MESSAGE_HEAD = re.compile(rf"\s*(?:{_DATE}\s+{_TIME}(?:\s+\S.{{0,80}})?|.{{1,80}}?\s+{_DATE}\s+{_TIME})\s*")


def is_message_head(line: str) -> bool:
    """Return whether a line of a text is the line above a message.

    >>> is_message_head("2024-05-01 12:30:05 小林(10001)"), is_message_head("2024-05-01")
    (True, False)
    """
    return _MESSAGE_HEAD.fullmatch(line[:200]) is not None


def read_telegram(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each message of a Telegram export."""
    for number, message in enumerate(iter_objects(file.text_chunks(), start=_MESSAGES), start=1):
        if message is None:
            yield ImportRow(number=number, text="", problem="damaged")
        else:
            text, links = _telegram_text(message)
            yield _row_of(number, text, links)


def read_chat_text(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each message of a text file; its number is that of its first line."""
    number, lines = 0, list[str]()
    for line in file.lines():
        if is_message_head(line.text):
            if number:
                yield _row_of(number, "\n".join(lines), ())
            number, lines = line.number, []
        elif number and len(lines) < _MAX_LINES:
            lines.append(line.text[:_MAX_TEXT_CHARS])
    if number:
        yield _row_of(number, "\n".join(lines), ())


def _row_of(number: int, text: str, links: tuple[str, ...]) -> ImportRow:
    text = text[:_MAX_TEXT_CHARS]
    urls = tuple(dict.fromkeys((*links, *addresses_in(text)))) or tuple(filter(is_host, _WORD.findall(text)))
    shown = " ".join(text.split())
    return ImportRow(number=number, text=shown, urls=urls, problem=None if urls else "no-address")


def _telegram_text(message: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return the text of a message, and the addresses that it links to."""
    pieces = message.get("text")
    texts, links = list[str](), list[str]()
    for piece in pieces if isinstance(pieces, list) else [pieces]:
        if isinstance(piece, str):
            texts.append(piece)
        elif isinstance(piece, dict):
            texts.append(str(piece.get("text") or ""))
            links += [piece["href"]] if isinstance(piece.get("href"), str) else []
    return "".join(texts), tuple(links)
