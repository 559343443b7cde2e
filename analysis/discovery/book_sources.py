"""书源 files of the reading app legado: each object describes a site, its search and its rules."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

from analysis.discovery.book_rules import SCRIPT, MappedRule, map_next_page, map_rule
from analysis.discovery.files import ImportedFile
from analysis.discovery.rows import MAX_SHOWN_CHARS, ImportRow
from storage.records import SiteRules
from system.json_objects import iter_objects
from system.messages import N_, Message

_TEXT_KIND = 0  # bookSourceType: 0 text, 1 audio, 2 pictures, 3 files
_OPTIONS = re.compile(r",\s*(?=\{)")
_PAGES = re.compile(r"<([^<>,]*)(?:,[^<>]*)*>")
_KEY = re.compile(
    r"\{\{\s*(?:(?:java\.)?encodeURI(?:Component)?\(\s*)?key\s*(?:,[^{}]*)?\)?\s*\}\}|searchKey"
)
_PAGE = re.compile(r"\{\{\s*page\s*\}\}|searchPage")
_SCRIPT = re.compile(r"@js:|<js>|\{\{", re.IGNORECASE)
_METHOD = re.compile(r"""["']?method["']?\s*:\s*["']?post""", re.IGNORECASE)
_CHARSET = re.compile(r"""["']?charset["']?\s*:\s*["']?(gbk|gb2312|gb18030|big5)""", re.IGNORECASE)
_SEARCH = "searchUrl"
_FORM = N_("the search was left out: it sends a form, which is not supported")

# Name of a rule in the file → where it is: the object and its key, in newer and older files.
_CONTENT = ("ruleContent", "content", "ruleBookContent")
_NEXT_PAGE = ("ruleContent", "nextContentUrl", "ruleContentUrlNext")
_LISTS = (("ruleToc", "chapterList", "ruleChapterList"),)


def read_book_sources(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each object of a 书源 file."""
    for number, source in enumerate(iter_objects(file.text_chunks()), start=1):
        if source is None:
            yield ImportRow(number=number, text="", problem="damaged")
        else:
            yield _row_of(number, source)


def _row_of(number: int, source: Mapping[str, Any]) -> ImportRow:
    base = _text_of(source.get("bookSourceUrl")).partition("#")[0].strip()
    name = _text_of(source.get("bookSourceName"))
    text = f"{name} {base}".strip()[:MAX_SHOWN_CHARS]
    if not base.lower().startswith(("http://", "https://")):
        return ImportRow(number=number, text=text, problem="no-address")
    if source.get("bookSourceType") not in (None, "", _TEXT_KIND, str(_TEXT_KIND), "TEXT"):
        return ImportRow(number=number, text=text, problem="no-text")
    search, charset, remarks = _search_of(base, _text_of(source.get(_SEARCH) or source.get("ruleSearchUrl")))
    rules, rule_remarks = _rules_of(source)
    return ImportRow(
        number=number,
        text=text,
        urls=(base,),
        search=search,
        search_charset=charset,
        rules=rules,
        remarks=(*remarks, *rule_remarks),
    )


def _rules_of(source: Mapping[str, Any]) -> tuple[SiteRules, tuple[Message, ...]]:
    content = _mapped(source, _CONTENT, next_page=False)
    next_page = _mapped(source, _NEXT_PAGE, next_page=True)
    remarks = [*content.remarks, *next_page.remarks]
    for location in _LISTS:
        rule = _rule_at(source, location)
        if "@js:" in rule or "<js>" in rule:
            remarks.append(Message(SCRIPT, {"rule": f"{location[0]}.{location[1]}"}))
    rules = SiteRules(text=content.paths, next_page=next_page.paths[0] if next_page.paths else "")
    return rules, tuple(remarks)


def _mapped(source: Mapping[str, Any], location: tuple[str, str, str], *, next_page: bool) -> MappedRule:
    name, rule = f"{location[0]}.{location[1]}", _rule_at(source, location)
    return map_next_page(name, rule) if next_page else map_rule(name, rule)


def _rule_at(source: Mapping[str, Any], location: tuple[str, str, str]) -> str:
    group, key, earlier = location
    rules = source.get(group)
    if isinstance(rules, str):  # an object as text
        try:
            rules = json.loads(rules)
        except (ValueError, RecursionError):
            rules = None
    value = rules.get(key) if isinstance(rules, dict) else source.get(earlier)
    return _text_of(value)


def _search_of(base: str, search: str) -> tuple[str, str, tuple[Message, ...]]:
    """Return the address of a search with ``{key}``, its encoding, and what cannot be used."""
    if not search.strip():
        return "", "utf-8", ()
    address, *options = _OPTIONS.split(search.strip(), maxsplit=1)
    if options and _METHOD.search(options[0]):
        return "", "utf-8", (Message(_FORM),)
    if "<js>" not in address:
        address = _PAGES.sub(r"\1", address)
    address = _PAGE.sub("1", _KEY.sub("{key}", address))
    if _SCRIPT.search(address) or address.count("{key}") != 1:
        return "", "utf-8", (Message(SCRIPT, {"rule": _SEARCH}),)
    charset = _CHARSET.search(options[0]) if options else None
    try:
        absolute = urljoin(base, address.strip())
    except ValueError:
        return "", "utf-8", (Message(SCRIPT, {"rule": _SEARCH}),)
    return absolute, charset[1].lower() if charset else "utf-8", ()


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
