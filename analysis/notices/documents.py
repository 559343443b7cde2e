"""Write a notice as a document: fill a template with facts and split it into blocks.

A template is HTML with few elements: ``h1``, ``h2``, ``p`` (classes ``flush``, ``right``, ``note``), and
``ol`` with ``li``. Inside them it uses ``b``, ``br``, ``code`` for addresses and ``mark`` for missing facts.
Every inserted value is escaped; text from websites passes :func:`analysis.notices.spelling.defang`. The
blocks serve the formats other than HTML.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from lxml import html as lxml_html
from lxml.etree import LxmlError
from markupsafe import Markup, escape

from analysis.notices.facts import FACTS, NoticeFacts, missing_facts
from analysis.notices.spelling import ascii_address, defang, real_host
from analysis.words.figures import percent
from analysis.words.i18n import Language, translator
from analysis.words.visible import one_line, visible
from storage.records import ClaimedDate, NoticeKind
from system.errors import PindnaError
from system.messages import N_, Message
from system.validation import validator_problem

T = TypeVar("T")
Shape = Literal["h1", "h2", "p", "flush", "right", "note", "item"]
Look = Literal["", "b", "code", "mark"]

TEMPLATES: dict[NoticeKind, str] = {
    "infringement": "infringement.zh.html",
    "dmca": "dmca.en.html",
    "reminder": "reminder.zh.html",
    "counsel": "counsel.zh.html",
}
_FOLDER = "templates/notices"
_LOOKS: dict[str, Look] = {"b": "b", "code": "code", "mark": "mark"}
_CODE_LANGUAGE = -2  # position in ``NAME.zh.html``
_TOO_LONG = N_("it makes a letter of more than {limit} characters")
_UNNAMED = N_("it is written for one work and does not name {works}")
_MAX_CHARS = 40_000_000  # maximum length of a letter: a thousand of the longest addresses need half of it
# Errors that a user's template may raise, because it may contain any expression.
_FAULTS = (
    TemplateError,
    LxmlError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


class BadTemplate(PindnaError):
    """A user's template is invalid.

    Attributes:
        name: file name of the template.
        problem: what is wrong with it.
    """

    template = "Cannot use template {name}: {problem}. Correct it or remove it from the folder."


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text with one format. ``code`` marks an address, ``mark`` a missing fact."""

    text: str
    look: Look = ""


@dataclass(frozen=True, slots=True)
class LetterBlock:
    """A paragraph: its shape and its lines of runs. ``number`` is the position of a list item, else 0."""

    shape: Shape
    lines: tuple[tuple[TextRun, ...], ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Letter:
    """A filled template, as HTML and as blocks."""

    language: Language
    title: str
    html: str
    blocks: tuple[LetterBlock, ...]

    def text(self) -> str:
        """Return the letter as plain text, with addresses between angle brackets."""
        return "\n\n".join(filter(None, map(_block_text, self.blocks))) + "\n"


def write_letter(
    facts: NoticeFacts, *, timezone: str, own_templates: Path | None = None, is_draft: bool = False
) -> Letter:
    """Fill the template for the kind of a notice.

    Args:
        facts: the facts to insert.
        timezone: IANA name of the zone for its dates.
        own_templates: folder with templates that replace the built-in ones.
        is_draft: mark missing facts.

    Raises:
        BadTemplate: a user's template is invalid.
        ValueError: facts are missing, and the notice is not a draft.
    """
    if missing_facts(facts) and not is_draft:
        raise ValueError(missing_facts(facts))
    name, language = TEMPLATES[facts.kind], letter_language(facts.kind)
    environment = _environment(language, ZoneInfo(timezone), own_templates)
    try:
        pieces = environment.get_template(name).generate(facts=facts, is_draft=is_draft, language=language)
        document = _join_bounded(pieces)
        blocks = tuple(_blocks(lxml_html.document_fromstring(document)))
    except _FAULTS as error:
        raise BadTemplate(name=name, problem=_template_problem(error)) from error
    title = next((block for block in blocks if block.shape == "h1"), None)
    if title is None:
        raise BadTemplate(name=name, problem="it has no heading h1")
    letter = Letter(language, _line_text(title.lines[0]), document, blocks)
    if unnamed := _unnamed_works(letter, facts):
        raise BadTemplate(name=name, problem=Message(_UNNAMED, {"works": ", ".join(unnamed)}))
    return letter


def letter_language(kind: NoticeKind) -> Language:
    """Return the language of the letters of a kind."""
    return "en" if TEMPLATES[kind].split(".")[_CODE_LANGUAGE] == "en" else "zh"


def _unnamed_works(letter: Letter, facts: NoticeFacts) -> tuple[str, ...]:
    """Return the works that a letter about several works does not name, as a user's template may do."""
    if len(facts.subjects) == 1:
        return ()
    text = "".join(letter.text().split())
    titles = [subject.work.title for subject in facts.subjects]
    return tuple(title for title in titles if "".join(visible(title).split()) not in text)


def _template_problem(error: Exception) -> str | Message:
    """Return the error in a template: pindna's own message, or one line of the template engine."""
    problem = validator_problem(error)
    return problem if isinstance(problem, Message) else one_line(problem) or type(error).__name__


def _join_bounded(pieces: Iterable[str]) -> str:
    """Join the pieces of a filled template.

    Raises:
        ValueError: the text is too long for a letter.
    """
    kept, chars = [], 0
    for piece in pieces:
        chars += len(piece)
        if chars > _MAX_CHARS:
            raise ValueError(Message(_TOO_LONG, {"limit": f"{_MAX_CHARS:,}"}))
        kept.append(piece)
    return "".join(kept)


def _environment(
    language: Language, zone: ZoneInfo, own_templates: Path | None
) -> ImmutableSandboxedEnvironment:
    """Return the sandbox that fills templates. A user's template can only call what is passed to it."""
    loaders: list[BaseLoader] = [PackageLoader("analysis.words", _FOLDER)]
    if own_templates is not None:
        loaders.insert(0, FileSystemLoader(own_templates))
    environment = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def needed(value: object, code: str) -> object:
        if value:
            return value
        label = translator(language).gettext(FACTS[code].label)
        missing = "【待补：{}】" if language == "zh" else "[MISSING: {}]"
        return Markup("<mark>{}</mark>").format(missing.format(label))

    def day(moment: datetime | ClaimedDate) -> str:
        local = moment.local if isinstance(moment, ClaimedDate) else moment.astimezone(zone)
        if language == "zh":
            return f"{local.year}年{local.month}月{local.day}日"
        return f"{local:%B} {local.day}, {local.year}"

    def minute(moment: datetime) -> str:
        local = moment.astimezone(zone)
        offset = f"UTC{local:%z}"[:6]
        return (
            f"{day(moment)} {local:%H:%M} {offset}"
            if language == "en"
            else f"{day(moment)} {local:%H:%M}（{offset}）"
        )

    environment.filters.update(
        address=_address_markup,
        count="{:,}".format,
        day=day,
        foreign=defang,
        minute=minute,
        needed=needed,
        percent=percent,
        real_host=real_host,
    )
    return environment


def _address_markup(url: str) -> Markup:
    """Return an address as templates print it."""
    return Markup("<code>{}</code>").format(ascii_address(url))


def _make_visible(value: T) -> T | Markup:
    """Make hidden characters visible in everything that a template prints."""
    if isinstance(value, Markup):
        return value
    return escape(visible(value)) if isinstance(value, str) else value


def _blocks(document: lxml_html.HtmlElement) -> Iterator[LetterBlock]:
    """Yield the paragraphs of a filled template in order."""
    for element in document.body.iter("h1", "h2", "p", "li"):
        shape = _shape_of(element)
        number = 1 + sum(1 for _ in element.itersiblings("li", preceding=True)) if shape == "item" else 0
        lines = tuple(filter(None, _lines(element)))
        if lines:
            yield LetterBlock(shape, lines, number)


def _shape_of(element: lxml_html.HtmlElement) -> Shape:
    classes = (element.get("class") or "").split()
    shapes: Mapping[str, Shape] = {"h1": "h1", "h2": "h2", "li": "item"}
    of_class: tuple[Shape, ...] = ("flush", "right", "note")
    usual: Shape = next((shape for shape in of_class if shape in classes), "p")
    return shapes.get(str(element.tag), usual)


def _lines(element: lxml_html.HtmlElement) -> Iterator[tuple[TextRun, ...]]:
    """Yield the lines of a paragraph, split at ``br``."""
    line: list[TextRun] = []
    for text, look in _runs(element, ""):
        if text is None:
            yield _strip_runs(line)
            line = []
        elif words := _collapse_spaces(text):
            line.append(TextRun(words, look))
    yield _strip_runs(line)


def _runs(element: lxml_html.HtmlElement, look: Look) -> Iterator[tuple[str | None, Look]]:
    """Yield the texts inside an element with their formats, and None at the end of a line."""
    yield element.text or "", look
    for child in element:
        if child.tag == "br":
            yield None, look
        elif isinstance(child.tag, str):
            yield from _runs(child, _LOOKS.get(child.tag, look))
        yield child.tail or "", look


def _collapse_spaces(text: str) -> str:
    """Collapse each run of white space into one space, as HTML does."""
    words = " ".join(text.split())
    return words and f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}"


def _strip_runs(runs: list[TextRun]) -> tuple[TextRun, ...]:
    """Strip white space at both ends of a line."""
    if not runs:
        return ()
    runs[0] = TextRun(runs[0].text.lstrip(" "), runs[0].look)
    runs[-1] = TextRun(runs[-1].text.rstrip(" "), runs[-1].look)
    return tuple(run for run in runs if run.text)


def _line_text(line: tuple[TextRun, ...]) -> str:
    return "".join(f"<{run.text}>" if run.look == "code" and ":" in run.text else run.text for run in line)


def _block_text(block: LetterBlock) -> str:
    lines = [_line_text(line) for line in block.lines]
    if block.number:
        lines = [f"{block.number}. {lines[0]}", *(f"   {line}" for line in lines[1:])]
    return "\n".join(lines)
