"""List what only the maker of a package vouches for, and the result without it. Pure.

A match that can be computed again follows from the page and from the recorded inputs: the rules of the
source, the repeated lines of the site, the position of its texts, style sheets and thresholds. The maker of a
package writes these inputs, and could choose ones that turn a quotation into a copy. So every input that
pindna does not define itself is listed, and such pages are computed again by pindna's built-in rules alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from analysis.evidence.inputs import RecordedInputs
from analysis.evidence.rejudging import JudgementInputs, JudgementQuestion
from analysis.evidence.rereading import NO_LAYOUT, ReadingInputs, read_again
from analysis.words.labels import VERDICTS
from crawler.readers.pool import CannotRead, Reader
from storage.records import NO_RULES, Match, Page
from system.errors import one_line
from system.messages import N_, Figure, Message
from tracker.judgement.profiles import EARLIER, PROFILES, Profile

_KNOWN = EARLIER | {profile.id: profile for profile in PROFILES.values()}
_MAX_CHARS = 120  # maximum characters of rules in one line


def forged_profiles(inputs: JudgementInputs) -> list[str]:
    """Return the profiles that have an id of pindna's but other thresholds."""
    return [
        profile.id
        for profile in inputs.profiles.values()
        if profile.id in _KNOWN and _thresholds(profile) != _thresholds(profile.id)
    ]


def maker_statement(inputs: RecordedInputs) -> tuple[Message, ...]:
    """List the inputs of a page and its matches that pindna does not define itself."""
    reading = () if inputs.reading is None else tuple(_reading_statements(inputs.reading))
    judgement = () if inputs.judgement is None else tuple(_judgement_statements(inputs.judgement))
    return reading + judgement


def _reading_statements(reading: ReadingInputs) -> Iterator[Message]:
    if reading.rules != NO_RULES:
        custom_rules = {name: value for name, value in asdict(reading.rules).items() if value}
        yield Message(N_("read with rules of the source: {rules}"), {"rules": _short_text(custom_rules)})
    if reading.learnt:
        characters = sum(len(line.text) for line in reading.learnt)
        data: dict[str, Figure] = {"lines": len(reading.learnt), "characters": characters}
        yield Message(
            N_("left out because the site repeats it: {lines} lines, {characters} characters"), data
        )
    if reading.layout != NO_LAYOUT:
        places: dict[str, Figure] = {"places": _truncated(", ".join(reading.layout.containers))}
        yield Message(N_("read with a text position learnt from the site: {places}"), places)
    sheets = sum(len(response.sheets) for response in reading.parts)
    if sheets:
        yield Message(N_("style sheets that hide text or may hide it: {count}"), {"count": sheets})


def _judgement_statements(judgement: JudgementInputs) -> Iterator[Message]:
    for profile in dict.fromkeys(
        profile_used for profile_used in judgement.profiles.values() if profile_used.id not in _KNOWN
    ):
        standard = asdict(PROFILES["novel"])
        changed = {name: value for name, value in asdict(profile).items() if value != standard[name]}
        data: dict[str, Figure] = {"profile": profile.id, "changes": _short_text(changed)}
        yield Message(N_("judged by thresholds other than pindna's: {profile} ({changes})"), data)


def differences_by_builtin_rules(
    page: Page,
    matches: Sequence[Match],
    inputs: RecordedInputs,
    *,
    contents: Mapping[str, bytes],
    texts: Mapping[int, str],
    reader: Reader,
) -> dict[str, Message]:
    """Return, by name of the match, how the result differs by pindna's built-in rules alone.

    Args:
        page: the stored page.
        matches: matches of the page.
        inputs: the recorded inputs.
        contents: bodies of the page, by SHA-256.
        texts: texts of the passages, by id.
        reader: parses and compares.
    """
    if inputs.reading is None or inputs.judgement is None:
        return {}
    reading, judgement = _builtin_reading(inputs.reading), _builtin_judgement(inputs.judgement)
    if (reading, judgement) == (inputs.reading, inputs.judgement):
        return {}
    try:
        again = read_again(reading, contents, reader).page
        plain = replace(
            page,
            text=again.text,
            rest=again.rest if page.rest else "",
            rest_pieces=again.rest_pieces if page.rest else (),
            title=again.title,
            author=again.author,
        )
        recomputed, _ = reader.ask(JudgementQuestion(plain, judgement, texts))
    except CannotRead as error:
        template = N_("by pindna's built-in rules alone: not computed ({reason})")
        problem = Message(template, {"reason": error.reason})
        return {match.name: problem for match in matches}
    return dict(_changed_results(matches, recomputed))


def _changed_results(matches: Sequence[Match], recomputed: Sequence[Match]) -> Iterator[tuple[str, Message]]:
    by_place = {(match.passage_id, match.part): match for match in recomputed}
    for match in matches:
        plain_match = by_place.get((match.passage_id, match.part))
        if plain_match is None:
            yield match.name, Message(N_("by pindna's built-in rules alone: no match"))
        elif plain_match.verdict != match.verdict:
            data: dict[str, Figure] = {
                "verdict": VERDICTS[plain_match.verdict],
                "coverage": f"{plain_match.coverage:.0%}",
            }
            yield (
                match.name,
                Message(N_("by pindna's built-in rules alone: {verdict}, {coverage} of the page"), data),
            )


def _builtin_reading(reading: ReadingInputs) -> ReadingInputs:
    parts = tuple(replace(response, sheets=()) for response in reading.parts)
    return replace(reading, parts=parts, rules=NO_RULES, learnt=(), layout=NO_LAYOUT)


def _builtin_judgement(judgement: JudgementInputs) -> JudgementInputs:
    profiles = {
        kind: profile if profile.id in _KNOWN else PROFILES[kind]
        for kind, profile in judgement.profiles.items()
    }
    return replace(judgement, profiles=profiles)


def _thresholds(profile: Profile | str) -> dict[str, object]:
    return asdict(_KNOWN[profile] if isinstance(profile, str) else profile)


def _short_text(values: Mapping[str, object]) -> str:
    return _truncated(", ".join(f"{name}={value}" for name, value in values.items()))


def _truncated(value: str) -> str:
    text = one_line(value)
    return text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}…"
