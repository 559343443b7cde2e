"""Records as a package for outsiders holds them: without what people noted, licensed, or plan. Pure."""

from dataclasses import replace

from analysis.texts.excerpts import SideBySide
from storage.records import Case, Match, Work


def outward_work(work: Work) -> Work:
    """Return a work without its file's path, its licences and its line on rights."""
    return replace(work, origin="", rights=None, licensed_sites=(), licences=(), removal=None)


def outward_case(case: Case) -> Case:
    """Return a case without who works on it until when, and without words on why it is closed."""
    return replace(case, assignee="", deadline=None, reason="")


def outward_match(match: Match) -> Match:
    """Return a match without who decided on it, and why."""
    return replace(match, because="", decided=(), undecided=())


def outward_texts(texts: SideBySide | None) -> SideBySide | None:
    """Return texts side by side without what stands in the work before and behind each stretch."""
    if texts is None:
        return None
    bare = (replace(excerpt, passage_before="", passage_after="") for excerpt in texts.excerpts)
    return replace(texts, excerpts=tuple(bare))
