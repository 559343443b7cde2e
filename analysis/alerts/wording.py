"""The words of a mailing: a title and lines in the addressee's language, bounded, and markup nowhere.

Sites, titles of works and what a source answered come from others. In some services a text is Markdown or
HTML, or calls everybody by ``@all``. So characters that mean something there are written in their full-width
forms, which people read and no service takes for markup; what is invisible is a visible mark.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from analysis.words.i18n import N_, Translator
from analysis.words.labels import VERDICTS as VERDICT_LABELS
from analysis.words.labels import word
from analysis.words.visible import one_line
from storage.records import VERDICTS, Cadence, Occasion, OccasionKind, moment_text

# The most pressing first.
KINDS: Mapping[OccasionKind, str] = {
    "log-broken": N_("The evidence log is broken"),
    "index-unhealthy": N_("The index cannot be trusted"),
    "deadline-near": N_("A deadline is near"),
    "back": N_("Back again"),
    "case-reopened": N_("Case reopened"),
    "new-copy": N_("New copy"),
    "removed": N_("Removed"),
    "scan-failed": N_("A scan failed"),
    "source-banned": N_("A source refuses us"),
    "source-failing": N_("A source fails"),
    "coverage-fell": N_("Less of a source is read"),
    "test": N_("Test"),
}
MAX_TITLE_CHARS = 120
_MAX_NAME_CHARS = 80
_MAX_LINES = 40
_ROOM_FOR_MORE = 60  # bytes of the line that counts what is left out
_ORDER = tuple(KINDS)
_DIGESTS: Mapping[Cadence, str] = {
    "daily": N_("pindna, daily digest: {what}"),
    "weekly": N_("pindna, weekly digest: {what}"),
    "at-once": N_("pindna: {what}"),
}
_MARKUP = str.maketrans({char: chr(ord(char) + 0xFEE0) for char in "*_`[]<>&@#|~\\$^{}!"})
_ALERT_ID = N_("Id of this alert: {id}")


@dataclass(frozen=True, slots=True)
class AlertText:
    """What an addressee reads."""

    title: str
    body: str


def plain(text: str, *, limit: int = _MAX_NAME_CHARS) -> str:
    """Return a foreign text as one line without anything that a service might take for markup or a call.

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
    """Return the words of a mailing.

    Args:
        occasions: that it tells; one or more.
        cadence: for the title.
        mailing_id: stands at the end, for receivers to know a repeat by.
        texts: the language.
        zone: of moments.
        max_bytes: of title and body together in UTF-8; what does not fit is counted.
    """
    title = texts.gettext(_DIGESTS[cadence]).format(what=_summary(occasions, texts))[:MAX_TITLE_CHARS]
    end = texts.gettext(_ALERT_ID).format(id=mailing_id)
    room = max_bytes - _size(title) - _size(end) - _ROOM_FOR_MORE
    lines: list[str] = []
    groups = _grouped(occasions)
    for number, group in enumerate(groups):
        line = _line(group, texts, zone)
        room -= _size(line)
        if room < 0 or number == _MAX_LINES:
            remaining = sum(map(len, groups[number:]))
            more = texts.ngettext("… and {count} more", "… and {count} more", remaining)
            lines.append(more.format(count=remaining))
            break
        lines.append(line)
    return AlertText(title, "\n".join([*lines, end]))


def _size(line: str) -> int:
    return len(line.encode()) + 2  # with its end, which some services write as two


def _summary(occasions: Sequence[Occasion], texts: Translator) -> str:
    """Return what there is, by kind."""
    counts = Counter(occasion.kind for occasion in occasions)
    parts = [_counted(kind, counts[kind], texts) for kind in _ORDER if counts[kind]]
    return texts.gettext(", ").join(parts)


def _counted(kind: OccasionKind, count: int, texts: Translator) -> str:
    label = texts.gettext(KINDS[kind])
    return label if count == 1 else texts.gettext(N_("{label} ({count})")).format(label=label, count=count)


def _grouped(occasions: Iterable[Occasion]) -> list[list[Occasion]]:
    """Return occasions, the new copies of one case together, in the order in which they are told."""
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


def _line(group: Sequence[Occasion], texts: Translator, zone: tzinfo) -> str:
    """Return the line that tells an occasion, or several copies of one case."""
    first = group[0]
    label = texts.gettext(KINDS[first.kind])
    if first.kind == "new-copy":
        label = _counted(first.kind, len(group), texts)
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
