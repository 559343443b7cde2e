"""Scripts that write text from outside the page's strings: loaded or computed text. Pure, linear.

A script counts if it writes text and also loads or computes some, close to each other or both in a short
script. On honest pages, most such scripts load a visitor count.
"""

from collections.abc import Iterable, Sequence

from crawler.extraction.kept_results import keep_by_text
from crawler.extraction.rest.strings import word_offsets
from crawler.extraction.script_strings import LITERAL, has_content
from system.patterns import re

_WRITES = (
    r"\.(?:innerHTML|outerHTML|textContent|innerText|nodeValue|srcdoc)\s*\+?=(?!=)|insertAdjacent(?:HTML|Text)\s*\("
    r"|document\s*\.\s*write(?:ln)?\s*\(|createTextNode\s*\(|createContextualFragment|setHTMLUnsafe"
    r"|\.(?:html|text|append|prepend|after|before|replaceWith|replaceChildren)\s*\(\s*[^)\s]"
    r"|\[\s*[\"'](?:innerHTML|outerHTML|textContent|innerText|write|writeln)[\"']\s*\]"
    r"|\[\s*(?:\"\w{0,12}\"|'\w{0,12}')\s*\+\s*[\"']"  # a property name that is written in pieces
)
# Each alternative begins with a letter of a small set, to which the regex engine can skip.
_LOADS = (
    r"fetch\s*\(|XMLHttpRequest\s*\(|new\s+XMLHttpRequest|\$\s*\.\s*(?:get|post|ajax|getJSON)\b|axios\b"
    r"|new\s+WebSocket|new\s+EventSource|\)\s*\.load\(\s*(?!function|\)|\(|[a-z]\s*=>)"
)
_COMPUTES = (
    r"atob\s*\(|fromCharCode|fromCodePoint|decodeURI(?:Component)?\s*\(|unescape\s*\(|CryptoJS|TextDecoder"
    r"|DOMParser|\.reverse\s*\(\s*\)|charCodeAt|new\s+Function\b"
)
# Code that shows text by itself: packed code, and library calls that load into an element.
_RUNS_CODE = (
    r"eval\s*\(\s*(?:function|atob|unescape|decodeURI|String)"
    r"|\)\s*\.load\(\s*(?:[\"'`]|\w*(?:[uU]rl|src|href|path)\w*\s*[,)+])"
)
# Visitor counters write the address of a script in this way.
_COUNTER = re.compile(
    r"document\.write\s*\(\s*unescape\(\s*[\"'](?:%3C(?:script|span|a|div)|\"\s*\+)", re.IGNORECASE
)
# Every script that writes text contains one of these words. They are searched first, because most scripts
# contain none.
_WRITING_WORDS = (
    *("HTML", "write", "Text", ".text", ".html", ".append", ".prepend", ".after", ".before", ".replace"),
    *("'+'", '"+"', "' + '", '" + "'),
    *("nodeValue", "srcdoc", "textContent", "innerText", "Fragment", "eval", ".load"),
)
_NUMBERS = re.compile(r"(?:\d++\s*+,\s*+){20,}+\d++")
_MAX_STRING = 100  # maximum characters of a string that count for the distance between loading and writing
# Values that need no loading: text inside the script (which was read there), an image, a visitor
# count.
_LITERAL = r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|true|false|null|undefined|\d++)"
_NUMBER_NAMES = "[cC]ount|[nN]um|[tT]otal|[aA]mount|[hH]its?|[vV]iews?|[cC]licks?|_integral|_bonus"
_NUMBER = rf"(?:[\w$]++\.)*+[\w$]*(?:{_NUMBER_NAMES})[\w$]{{0,4}}"
_WRITES_KNOWN = re.compile(
    rf"\.(?:innerHTML|outerHTML|textContent|innerText|nodeValue)\s*=\s*(?:{_LITERAL}|{_NUMBER})\s*(?:[;,}})]|\n|\Z)"
    rf"|\.(?:html|text|append|prepend|after|before)\s*\(\s*(?:{_LITERAL}|(?:\"\"\s*\+\s*)?{_NUMBER})\s*\)"
    r"|\.(?:html|text)\s*\(\s*[\w.$]+\s*\+\s*[\"'](?:&nbsp;|\s)*[次人条票][^\"'<]{0,8}[\"']\s*\)"
    r"|\.(?:append|prepend|after|before)\s*\(\s*'<img\b[^'>]*'\s*\+\s*\w+\s*\+\s*'[^'<>]*>'\s*\)"
    rf"|document\s*\.\s*write(?:ln)?\s*\(\s*{_LITERAL}\s*\)"
)
_SHORT = 3_000  # maximum characters of a script with a single purpose
_MAX_CHARS = 1_000_000  # maximum characters of a script that is read
_WRITING, _LOADING = re.compile(_WRITES), re.compile(f"{_LOADS}|{_COMPUTES}|{_RUNS_CODE}")
_NEAR = 600  # maximum characters between loading and writing
_RUNS_PATTERN = re.compile(_RUNS_CODE)
_NEAR_COMPUTED = 200
# Maximum distances of writing: before and after loading, before and after computing.
_DISTANCES = ((re.compile(_LOADS), 0, _NEAR), (re.compile(_COMPUTES), _NEAR_COMPUTED, _NEAR_COMPUTED))
_FRAME = re.compile(r"createElement\(\s*[\"']i?frame[\"']|<i?frame\b(?=[^>]{0,400}src)", re.IGNORECASE)
_FRAME_ADDRESS = re.compile(r"\bsrc\b", re.IGNORECASE)
_HIDDEN_FRAME = re.compile(
    r"display\s*[:=]\s*\\?[\"']?\s*none|(?:width|height)\s*[:=]\s*\\?[\"']?\s*[01](?:px)?\b|=\s*[\"']none|\.s?hide\("
    r"|(?:width|height)\s*[:=]\s*\\?[\"']?\s*\d{1,2}(?:px)?\b",
    re.IGNORECASE,
)
_FRAME_CHARS = 500  # number of searched characters after the creation of a frame


def count_writing(scripts: Iterable[str]) -> int:
    """Return the number of scripts that may show text which was not read."""
    return sum(_writes_other_text(script[:_MAX_CHARS]) for script in scripts)


def count_made_frames(scripts: Iterable[str]) -> int:
    """Return the number of scripts that add a frame to the page."""
    return sum(_makes_frame(script[:_MAX_CHARS]) for script in scripts)


@keep_by_text
def _writes_other_text(script: str) -> bool:
    if not any(word in script for word in _WRITING_WORDS):
        return False
    plain = _COUNTER.sub("", script) if "unescape" in script else script
    if ("eval" in plain or ".load" in plain) and _RUNS_PATTERN.search(plain):
        return True
    if _LOADING.search(plain) is None or not (writes := _writes_in(plain)):
        return False
    if len(plain) <= _SHORT or _are_near(plain, writes):
        return True
    bare = _without_data(plain)
    return len(bare) < len(plain) and _are_near(bare, _writes_in(bare))


def _writes_in(script: str) -> list[int]:
    """Return the offsets where a script writes text that may be from outside: not only a string or number."""
    return [
        write.start()
        for write in _WRITING.finditer(script)
        if _WRITES_KNOWN.match(script, write.start()) is None
    ]


def _without_data(script: str) -> str:
    """Return a script without long strings and number lists, which separate its code."""
    bare = LITERAL.sub(lambda literal: "''" if has_content(literal, _MAX_STRING) else literal[0], script)
    return _NUMBERS.sub("0", bare)


def _are_near(script: str, writes: Sequence[int]) -> bool:
    """Return whether a long script writes text close after loading or computing some."""
    for pattern, before, behind in _DISTANCES:
        at = 0
        for source in pattern.finditer(script):
            while at < len(writes) and writes[at] < source.start() - before:
                at += 1
            if at < len(writes) and writes[at] <= source.end() + behind:
                return True
    return False


@keep_by_text
def _makes_frame(script: str) -> bool:
    """Return whether a script adds a visible frame that has an address."""
    if "frame" not in script and "FRAME" not in script:
        return False
    for at in word_offsets(script, b"createelement(", b"<iframe", b"<frame"):
        frame = _FRAME.match(script, at)
        if frame is None:
            continue
        code = script[max(0, frame.start() - 100) : frame.end() + _FRAME_CHARS]
        if _FRAME_ADDRESS.search(code) and not _HIDDEN_FRAME.search(code):
            return True
    return False
