"""Write the title and lines of a mailing in the addressee's language, bounded and without markup.

Names of sites, titles of works and answers of sources are foreign text. Some services interpret text as
Markdown or HTML, or notify everybody at ``@all``. So special characters become full-width: users can read
them, and no service treats them as markup. Invisible characters become visible marks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import chain

from analysis.words.i18n import N_, Translator
from analysis.words.labels import VERDICTS as VERDICT_LABELS
from analysis.words.labels import word
from analysis.words.visible import one_line
from storage.records import VERDICTS, Cadence, Occasion, OccasionKind, moment_text

# The order of kinds in a text, the most urgent first.
KINDS: Mapping[OccasionKind, str] = {
    "log-broken": N_("Evidence log damaged"),
    "index-unhealthy": N_("Index problem"),
    "deadline-near": N_("Deadline near"),
    "back": N_("Online again"),
    "case-reopened": N_("Case reopened"),
    "new-copy": N_("New copy"),
    "removed": N_("Removed by the site"),
    "scan-failed": N_("Scan failed"),
    "source-banned": N_("Source blocks access"),
    "source-failing": N_("Source fails"),
    "coverage-fell": N_("Source coverage fell"),
    "test": N_("Test"),
}
MAX_TITLE_CHARS = 120
_MAX_NAME_CHARS = 80
_MIN_NAMED_BYTES = 2_000  # minimum room for a title with names; some services allow some hundred bytes
_MAX_TITLE_NAME_CHARS, _MOST_TITLE_NAMES = 20, 2  # of works and of sites in a title
_MAX_LINES = 40
_ROOM_FOR_MORE = 60  # reserved bytes for the line with the number of omitted items
_ORDER = tuple(KINDS)
_DIGESTS: Mapping[Cadence, str] = {
    "daily": N_("pindna, daily digest: {what}"),
    "weekly": N_("pindna, weekly digest: {what}"),
    "at-once": N_("pindna: {what}"),
}
_MARKUP = str.maketrans({char: chr(ord(char) + 0xFEE0) for char in "*_`[]<>&@#|~\\$^{}!"})
_ALERT_ID = N_("Alert ID: {id}")


@dataclass(frozen=True, slots=True)
class AlertText:
    """The text that an addressee reads."""

    title: str
    body: str


def plain(text: str, *, limit: int = _MAX_NAME_CHARS) -> str:
    """Return foreign text as one line without anything that a service might treat as markup or a mention.

    >>> plain("<b>@all</b> [x](http://a.cn)")
    '＜b＞＠all＜/b＞ ［x］(http:／／a.cn)'
    """
    line = one_line(text).translate(_MARKUP).replace("://", ":／／")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def text_of(
    occasions: Sequence[Occasion],
    *,
    cadence: Cadence,
    mailing_id: str,
    texts: Translator,
    zone: tzinfo,
    max_bytes: int,
) -> AlertText:
    """Return the text of a mailing.

    Args:
        occasions: one or more occasions.
        cadence: cadence, for the title.
        mailing_id: appended at the end, so receivers recognise a repetition.
        texts: the language.
        zone: time zone.
        max_bytes: limit for title and body together in UTF-8; omitted items are counted.
    """
    title = _title(occasions, cadence, texts, max_bytes=max_bytes)
    end = texts.gettext(_ALERT_ID).format(id=mailing_id)
    room = max_bytes - _line_bytes(title) - _line_bytes(end) - _ROOM_FOR_MORE
    lines: list[str] = []
    groups = _group_occasions(occasions)
    for number, group in enumerate(groups):
        line = _group_line(group, texts, zone)
        room -= _line_bytes(line)
        if room < 0 or number == _MAX_LINES:
            remaining = sum(map(len, groups[number:]))
            more = texts.ngettext("… and {count} more", "… and {count} more", remaining)
            lines.append(more.format(count=remaining))
            break
        lines.append(line)
    return AlertText(title, "\n".join([*lines, end]))


def _line_bytes(line: str) -> int:
    return len(line.encode()) + 2  # plus the line end, for which some services use two bytes


def _title(occasions: Sequence[Occasion], cadence: Cadence, texts: Translator, *, max_bytes: int) -> str:
    """Return the title: the kinds of occasions, and the first works and sites if there is room for them."""
    digest, summary = texts.gettext(_DIGESTS[cadence]), _summary(occasions, texts)
    concerned = _concerned(occasions, texts) if max_bytes >= _MIN_NAMED_BYTES else ()
    return digest.format(what=" · ".join((summary, *concerned)))[:MAX_TITLE_CHARS]


def _summary(occasions: Sequence[Occasion], texts: Translator) -> str:
    """Return the numbers of occasions, by kind."""
    counts = Counter(occasion.kind for occasion in occasions)
    parts = [_count_words(kind, counts[kind], texts) for kind in _ORDER if counts[kind]]
    return texts.gettext(", ").join(parts)


def _concerned(occasions: Sequence[Occasion], texts: Translator) -> Iterator[str]:
    """Yield the first works, and the first sites, in the order of the lines."""
    ordered = list(chain.from_iterable(_group_occasions(occasions)))
    works, sites = ([getattr(occasion, name) for occasion in ordered] for name in ("work", "site"))
    yield from filter(None, (_first_names(works, texts), _first_names(sites, texts)))


def _first_names(names: Iterable[str], texts: Translator) -> str:
    """Return the first of several works or sites, and that there are more."""
    distinct = list(dict.fromkeys(filter(None, names)))
    shown = [plain(name, limit=_MAX_TITLE_NAME_CHARS) for name in distinct[:_MOST_TITLE_NAMES]]
    return texts.gettext(", ").join([*shown, "…"][: len(distinct)])


def _count_words(kind: OccasionKind, count: int, texts: Translator) -> str:
    label = texts.gettext(KINDS[kind])
    return label if count == 1 else texts.gettext(N_("{label} ({count})")).format(label=label, count=count)


def _group_occasions(occasions: Iterable[Occasion]) -> list[list[Occasion]]:
    """Group the new copies of each case, and return the groups in display order."""
    groups: dict[tuple[str, ...], list[Occasion]] = {}
    for occasion in occasions:
        together = occasion.kind == "new-copy"
        key = (occasion.kind, occasion.case or occasion.id) if together else (occasion.id,)
        groups.setdefault(key, []).append(occasion)
    return sorted(groups.values(), key=_rank)


def _rank(group: Sequence[Occasion]) -> tuple[int, int, int, str]:
    first = group[0]
    gravest = min(
        VERDICTS.index(occasion.verdict) if occasion.verdict else len(VERDICTS) for occasion in group
    )
    return _ORDER.index(first.kind), gravest, -sum(occasion.copied_chars for occasion in group), first.id


def _group_line(group: Sequence[Occasion], texts: Translator, zone: tzinfo) -> str:
    """Return the line for an occasion, or for several copies of one case."""
    first = group[0]
    label = texts.gettext(KINDS[first.kind])
    if first.kind == "new-copy":
        label = _count_words(first.kind, len(group), texts)
    details = [plain(name) for name in (first.work, first.site, first.source) if name]
    if first.verdict:
        gravest = min((occasion.verdict for occasion in group if occasion.verdict), key=VERDICTS.index)
        details.append(word(texts, VERDICT_LABELS, gravest))
    if characters := max(occasion.copied_chars for occasion in group):
        copied = texts.ngettext("{count} character copied", "{count} characters copied", characters)
        details.append(copied.format(count=characters))
    if first.deadline is not None:
        details.append(moment_text(first.deadline, zone))
    if figure := texts.message(first.message):
        details.append(plain(figure, limit=200))
    if first.case:
        details.append(texts.gettext(N_("case {name}")).format(name=first.case))
    return texts.gettext(N_("{label}: {details}")).format(label=label, details=" · ".join(details))
