"""Mapping of the rules of 书源 files (legado) to site rules of pindna. Pure; JavaScript is never run.

A rule is a chain of steps separated by ``@``: ``class.name.0@tag.p@text``. A step selects elements by class,
id, tag, own text, or a CSS selector; a number chooses among the elements that it found. The last step says
which text or attribute is read. ``@css:`` begins a CSS selector, ``//`` or ``@XPath:`` an XPath expression,
``$.`` or ``@json:`` a JSONPath expression. ``||`` separates alternatives, ``&&`` rules whose texts are
joined. After ``##`` follows a replacement, after ``@js:`` or in ``<js>`` a script. Every rule becomes XPath.
"""

import re
from dataclasses import dataclass

from cssselect import SelectorError
from parsel.csstranslator import HTMLTranslator

from crawler.extraction.rules import BadRules, check_rules
from storage.records import SiteRules
from system.messages import N_, Message

_MAX_RULE_CHARS = 2_000
_MAX_STEPS = 20
_SCRIPT = re.compile(r"@js:|<js>", re.IGNORECASE)
_VARIABLES = re.compile(r"\{\{|@get:|@put:", re.IGNORECASE)
_JSON = re.compile(r"\$[.\[]|@json:", re.IGNORECASE)
_INDEX = re.compile(
    r"(?P<head>.*?)(?:\[(?P<not>!?)(?P<list>-?\d+(?:\s*[,:]\s*-?\d+)*)\]"
    r"|(?P<mark>[.!])(?P<numbers>-?\d+(?::-?\d+)*))",
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"""\[([\w-]+)([~|^$*]?=)([^\]"']+)\]""")
_WHOLE = frozenset({"text", "textnodes", "owntext", "html", "all"})
_ATTRIBUTE = re.compile(r"[A-Za-z][\w-]{0,40}")
_KNOWN_ATTRIBUTES = frozenset({"href", "src", "content", "title", "alt", "value"})
_NEXT_TEXT = re.compile("下一章|下章")

SCRIPT = N_("rule {rule} was left out: it needs JavaScript, which is not run")
_SCRIPT_AFTER = N_("of rule {rule} only the selector is used; its JavaScript is not run")
_VARIABLE = N_("rule {rule} was left out: it uses variables of the reading app")
_JSON_ANSWER = N_("rule {rule} is not needed: answers in JSON are read without a rule")
_UNREADABLE = N_("rule {rule} was left out: it cannot be read as a selector")
_NEXT_CHAPTER = N_("rule {rule} was left out: it leads to the next chapter, not to the next page of the text")
_REPLACEMENT = N_("the replacement in rule {rule} was left out: adverts are removed without it")


@dataclass(frozen=True, slots=True)
class MappedRule:
    """A rule as XPath expressions.

    Attributes:
        paths: one expression for each text that is read; empty: the rule cannot be used.
        remarks: what cannot be used, and why.
    """

    paths: tuple[str, ...] = ()
    remarks: tuple[Message, ...] = ()


class _NotASelector(ValueError):
    """A step of a rule is not a selector."""


def map_rule(name: str, rule: str) -> MappedRule:
    """Return a rule as XPath.

    >>> map_rule("ruleContent.content", "class.txt@html").paths
    ("/descendant-or-self::*[contains(concat(' ',normalize-space(@class),' '),' txt ')]",)

    Args:
        name: of the rule, for remarks.
        rule: as in the file.
    """
    rule = rule.strip()
    if not rule:
        return MappedRule()
    script = _SCRIPT.search(rule)
    remarks = []
    if script is not None:
        rule = rule[: script.start()].strip()
        template = _SCRIPT_AFTER if rule else SCRIPT
        remarks.append(Message(template, {"rule": name}))
        if not rule:
            return MappedRule(remarks=tuple(remarks))
    if _JSON.match(rule):
        return MappedRule(remarks=(*remarks, Message(_JSON_ANSWER, {"rule": name})))
    if _VARIABLES.search(rule):
        return MappedRule(remarks=(Message(_VARIABLE, {"rule": name}),))
    selector, replacement, _ = rule.partition("##")
    if replacement:
        remarks.append(Message(_REPLACEMENT, {"rule": name}))
    try:
        paths = _paths_of(selector)
    except (ValueError, SelectorError, BadRules):  # a rule may contain anything
        return MappedRule(remarks=(Message(_UNREADABLE, {"rule": name}),))
    return MappedRule(paths, tuple(remarks))


def map_next_page(name: str, rule: str) -> MappedRule:
    """Return the rule of the next page of a text; a rule that leads to the next chapter is left out."""
    if _NEXT_TEXT.search(rule) and not _SCRIPT.search(rule):
        return MappedRule(remarks=(Message(_NEXT_CHAPTER, {"rule": name}),))
    mapped = map_rule(name, rule)
    return MappedRule(mapped.paths[:1], mapped.remarks)


def _paths_of(selector: str) -> tuple[str, ...]:
    """Return the expressions of a rule without script and replacement.

    Raises:
        _NotASelector, SelectorError, BadRules: it is not a selector.
    """
    if len(selector) > _MAX_RULE_CHARS or "%%" in selector:
        raise _NotASelector
    paths = tuple(_alternatives(rule_part.strip()) for rule_part in selector.split("&&") if rule_part.strip())
    if not paths:
        raise _NotASelector
    check_rules(SiteRules(text=paths))
    return paths


def _alternatives(rule_part: str) -> str:
    """Return alternatives as one expression: each counts only where those before it find nothing."""
    paths = [_path_of(alternative.strip()) for alternative in rule_part.split("||") if alternative.strip()]
    if not paths:
        raise _NotASelector
    joined = [f"({paths[0]})"]
    joined += [
        f"({path})[{' and '.join(f'not({earlier})' for earlier in paths[:number])}]"
        for number, path in enumerate(paths[1:], start=1)
    ]
    return " | ".join(joined) if len(paths) > 1 else paths[0]


def _path_of(rule: str) -> str:
    lowered = rule.casefold()
    if lowered.startswith("@xpath:"):
        rule, lowered = rule[7:].strip(), lowered[7:].strip()
    if rule.startswith(("/", "./", "(")):
        return rule
    if lowered.startswith("@css:"):
        selector, _, read = rule[5:].rpartition("@")
        return _css_path(selector or read) + (_read_path(read) if selector else "")
    steps = [step.strip() for step in rule.lstrip("+-").removeprefix("@").split("@")]
    if not all(steps) or len(steps) > _MAX_STEPS:
        raise _NotASelector
    if len(steps) == 1:
        return _step_path(steps[0])
    if not _is_read_step(steps[-1]):
        return "".join(map(_step_path, steps))
    return "".join(map(_step_path, steps[:-1])) + _read_path(steps[-1])


def _is_read_step(step: str) -> bool:
    """Return whether a last step says what is read, not which element."""
    lowered = step.casefold()
    return lowered in _WHOLE or lowered in _KNOWN_ATTRIBUTES or lowered.startswith("data-")


def _read_path(step: str) -> str:
    """Return the expression for what is read of an element."""
    if step.casefold() in _WHOLE:
        return ""
    if not _ATTRIBUTE.fullmatch(step):
        raise _NotASelector
    return f"/@{step}"


def _step_path(step: str) -> str:
    """Return the expression of a step, relative to the elements of the step before it."""
    kind, _, rest = step.partition(".")
    if kind in {"class", "id", "tag", "text"} and rest:
        name, choice = _split_index(rest)
        return f"/descendant-or-self::{_node_test(kind, name)}{choice}"
    if kind.partition("[")[0] == "children":
        _, choice = _split_index(step.removeprefix("children"))
        return f"/child::*{choice}"
    selector, choice = _split_index(step)
    return _css_path(selector or step) + choice


def _node_test(kind: str, name: str) -> str:
    match kind:
        case "class":
            tests = [
                f"contains(concat(' ',normalize-space(@class),' '),{_quoted(f' {word} ')})"
                for word in name.split()
            ]
            return f"*[{' and '.join(tests)}]" if tests else "*"
        case "id":
            return f"*[@id={_quoted(name)}]"
        case "text":
            return f"*[text()[contains(.,{_quoted(name)})]]"
        case _:
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,20}", name):
                raise _NotASelector
            return name.lower()


def _css_path(selector: str) -> str:
    quoted = _BARE_VALUE.sub(r'[\1\2"\3"]', selector.strip())  # the app does not need quotation marks
    path = str(HTMLTranslator().css_to_xpath(quoted, prefix="/descendant-or-self::"))
    alternatives = path.split(" | ")
    return path if len(alternatives) == 1 else f"/descendant-or-self::*[{_self_tests(alternatives)}]"


def _self_tests(paths: list[str]) -> str:
    """Return a condition that is true for the elements of any of some expressions of one step."""
    tests = [path.removeprefix("/descendant-or-self::") for path in paths]
    if any("/" in test for test in tests):
        raise _NotASelector
    return " or ".join(f"self::{test}" for test in tests)


def _split_index(step: str) -> tuple[str, str]:
    """Return a step without its index, and the index as a condition; positions in the file begin at 0."""
    index = _INDEX.fullmatch(step)
    if index is None:
        return step, ""
    head = index["head"].removesuffix(".")
    if index["list"] is not None:
        numbers, is_not = index["list"], bool(index["not"])
        if ":" in numbers:
            return head, _slice_condition(numbers, is_not=is_not)
        positions = numbers.split(",")
    else:
        positions, is_not = index["numbers"].split(":"), index["mark"] == "!"
    tests = " or ".join(f"position()={_position(int(number))}" for number in positions)
    return head, f"[not({tests})]" if is_not else f"[{tests}]"


def _slice_condition(numbers: str, *, is_not: bool) -> str:
    first, last = [int(number) for number in numbers.split(":")][:2]
    test = f"position()>={_position(first)} and position()<={_position(last)}"
    return f"[not({test})]" if is_not else f"[{test}]"


def _position(number: int) -> str:
    if number >= 0:
        return str(number + 1)
    return "last()" if number == -1 else f"(last()-{-number - 1})"


def _quoted(text: str) -> str:
    """Return a text as a literal of XPath.

    Raises:
        _NotASelector: it has both kinds of quotation marks.
    """
    if "'" not in text:
        return f"'{text}'"
    if '"' in text:
        raise _NotASelector
    return f'"{text}"'
