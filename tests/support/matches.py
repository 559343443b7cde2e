"""Matches for tests."""

from dataclasses import replace

from storage.records import Homophone, Match

PAIR = Homophone(
    page=3,
    passage=5,
    character="清",
    original="青",
    syllable="qīng",
    original_syllable="qīng",
    kind="same-tone",
    times=2,
)

# A match that says nothing in particular.
_MATCH = Match(
    id="m",
    page_id="p",
    passage_id=1,
    work_id=1,
    profile="novel@1",
    site="s",
    url="u",
    page_title="",
    work_title="",
    passage_title="",
    verdict="copy",
    coverage=1,
    passage_coverage=1,
    copied_chars=1,
    longest_span=1,
    char_identity=1,
    sound_identity=1,
    spans=(),
)


def match_with(**fields: object) -> Match:
    """Return a match of which only some fields matter."""
    return replace(_MATCH, **fields)
