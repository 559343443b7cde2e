"""Redact records for outsiders: remove notes, licences and plans. Pure."""

from dataclasses import replace

from analysis.texts.excerpts import SideBySide
from storage.records import Case, Match, Work


def redacted_work(work: Work) -> Work:
    """Return a work without its file path, its licences and its rights line."""
    return replace(work, origin="", rights=None, licensed_sites=(), licences=(), removal=None)


def redacted_case(case: Case) -> Case:
    """Return a case without assignee, deadline and closing reason."""
    return replace(case, assignee="", deadline=None, reason="")


def redacted_match(match: Match) -> Match:
    """Return a match without the decider and the reason."""
    return replace(match, because="", decided=(), undecided=())


def redacted_texts(texts: SideBySide | None) -> SideBySide | None:
    """Return side-by-side texts without the context of the work around each stretch."""
    if texts is None:
        return None
    bare = (replace(excerpt, passage_before="", passage_after="") for excerpt in texts.excerpts)
    return replace(texts, excerpts=tuple(bare))
