"""Sentences about look-ups of sites."""

from collections.abc import Iterator, Mapping

from analysis.words.i18n import Translator
from analysis.words.labels import LOOKUP_STATES, LOOKUP_STEPS, PROPOSAL_KINDS, word
from storage.records import Contact, LookupResult, Proposal, ProposalKind, SiteLookup


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


def replaced_lines(
    contact: Contact, replaced: Mapping[ProposalKind, str], texts: Translator
) -> Iterator[str]:
    """Yield a line for each field of a contact whose former value was replaced.

    Args:
        contact: the contact after the change.
        replaced: field → former value.
        texts: translations.
    """
    line = texts.gettext("{field}: “{before}” was replaced with “{after}”")
    for field, before in replaced.items():
        label = word(texts, PROPOSAL_KINDS, field)
        yield line.format(field=label, before=before, after=getattr(contact, field))
