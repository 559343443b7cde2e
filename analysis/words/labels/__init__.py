"""English labels of the codes in records, marked for translation: one module for each kind of record.

Codes that are not listed here are shown as they are.
"""

from collections.abc import Mapping
from typing import TypeVar

from analysis.words.i18n import Translator
from analysis.words.labels.candidates import (
    CANDIDATE_FORMS,
    CANDIDATE_STATES,
    CAPTURED_FORMS,
    IMPORT_LINES,
    PAGE_IMPORTS,
)
from analysis.words.labels.cases import (
    CASE_STATES,
    CLOSED_BECAUSE,
    CONTACT_ROLES,
    DOCUMENT_KINDS,
    EVENTS,
    NOTICE_KINDS,
    NOTICE_STATES,
    PRIORITIES,
)
from analysis.words.labels.corpus import DETAILS, WORK_KINDS, WORK_ROLES, WORK_STATES
from analysis.words.labels.crawls import (
    ALERTS,
    COUNTS,
    CRAWL_STATES,
    DAYS,
    ENTRY_KINDS,
    FAULTS,
    LEFT,
    LIST_LINES,
    ROBOTS,
    SCAN_STATES,
    SEARCH_FORMS,
    SOURCE_KINDS,
    TRIGGERS,
)
from analysis.words.labels.evidence import (
    ENVIRONMENT_FINDINGS,
    LOG_PROBLEMS,
    LOGGED_KINDS,
    PACKAGE_PROBLEMS,
    RECOMPUTED,
    STATEMENTS,
)
from analysis.words.labels.installation import (
    CADENCES,
    ENCRYPTIONS,
    LANGUAGES,
    MAILING_STATES,
    ORIGINS,
    ROLES,
    SETTING_GROUPS,
    WEEKDAYS,
)
from analysis.words.labels.matches import (
    CHANGES,
    DATES,
    DISGUISES,
    LICENCES,
    NO_TEXT,
    PRECEDENCES,
    REORDERED,
    REVIEWS,
    STEPS,
    SYLLABLES,
    THRESHOLDS,
    VERDICTS,
)
from analysis.words.labels.pages import (
    CAPTURE_PARTS,
    CAPTURE_STATES,
    LOOKS,
    MATCH_PARTS,
    PAGE_EVENTS,
    PAGE_KINDS,
    PAGE_STATES,
    REST_REASONS,
    STANDINGS,
    UNREAD,
    VISIT_STATES,
    WATCH_STATES,
)
from analysis.words.labels.site_lookups import (
    LOOKUP_STATES,
    LOOKUP_STEPS,
    PROPOSAL_KINDS,
    PROPOSAL_SUBJECTS,
)
from system.messages import Message

__all__ = [
    "ALERTS",
    "CADENCES",
    "CANDIDATE_FORMS",
    "CANDIDATE_STATES",
    "CAPTURED_FORMS",
    "CAPTURE_PARTS",
    "CAPTURE_STATES",
    "CASE_STATES",
    "CHANGES",
    "CLOSED_BECAUSE",
    "CONTACT_ROLES",
    "COUNTS",
    "CRAWL_STATES",
    "DATES",
    "DAYS",
    "DETAILS",
    "DISGUISES",
    "DOCUMENT_KINDS",
    "ENCRYPTIONS",
    "ENTRY_KINDS",
    "ENVIRONMENT_FINDINGS",
    "EVENTS",
    "FAULTS",
    "IMPORT_LINES",
    "LANGUAGES",
    "LEFT",
    "LICENCES",
    "LIST_LINES",
    "LOGGED_KINDS",
    "LOG_PROBLEMS",
    "LOOKS",
    "LOOKUP_STATES",
    "LOOKUP_STEPS",
    "MAILING_STATES",
    "MATCH_PARTS",
    "NOTICE_KINDS",
    "NOTICE_STATES",
    "NO_TEXT",
    "ORIGINS",
    "PACKAGE_PROBLEMS",
    "PAGE_EVENTS",
    "PAGE_IMPORTS",
    "PAGE_KINDS",
    "PAGE_STATES",
    "PRECEDENCES",
    "PRIORITIES",
    "PROPOSAL_KINDS",
    "PROPOSAL_SUBJECTS",
    "RECOMPUTED",
    "REORDERED",
    "REST_REASONS",
    "REVIEWS",
    "ROBOTS",
    "ROLES",
    "SCAN_STATES",
    "SEARCH_FORMS",
    "SETTING_GROUPS",
    "SOURCE_KINDS",
    "STANDINGS",
    "STATEMENTS",
    "STEPS",
    "SYLLABLES",
    "THRESHOLDS",
    "TRIGGERS",
    "UNREAD",
    "VERDICTS",
    "VISIT_STATES",
    "WATCH_STATES",
    "WEEKDAYS",
    "WORK_KINDS",
    "WORK_ROLES",
    "WORK_STATES",
    "Code",
    "label",
    "reason_word",
    "word",
]


Code = TypeVar("Code", bound=str)


def word(texts: Translator, words: Mapping[Code, str], code: Code) -> str:
    """Return the word for a code in the translator's language.

    Args:
        texts: the language.
        words: a table over a vocabulary.
        code: of that vocabulary; a record of a newer version may have one that is shown as it is.
    """
    return texts.gettext(words.get(code, code))


def label(words: Mapping[Code, str], code: Code) -> Message:
    """Return the label for a code as a value of an error; it is translated when the error is shown."""
    return Message(words.get(code, code))


def reason_word(texts: Translator, reason: str) -> str:
    """Return the words for the reason why a page was not compared, in the translator's language."""
    return texts.reason(reason)
