"""Sentences about look-ups of sites."""

from analysis.words.i18n import Translator
from analysis.words.labels import LOOKUP_STATES, LOOKUP_STEPS, word
from storage.records import LookupResult, Proposal, SiteLookup


def result_line(result: LookupResult, texts: Translator) -> str:
    """Return how a step ended, with the reason if there is no answer."""
    line = texts.gettext("{step}: {state}").format(
        step=word(texts, LOOKUP_STEPS, result.step), state=word(texts, LOOKUP_STATES, result.state)
    )
    reason = texts.message(result.reason)
    return texts.gettext("{line} ({reason})").format(line=line, reason=reason) if reason else line


def count_line(proposal: Proposal, lookup: SiteLookup, texts: Translator) -> str:
    """Return on how many pages a proposal occurs; empty if it is not from a page."""
    if not proposal.pages:
        return ""
    line = texts.gettext("{count} of {pages} pages").format(count=proposal.pages, pages=lookup.pages_read)
    return texts.gettext("{line}, only inside texts").format(line=line) if proposal.is_in_text else line
