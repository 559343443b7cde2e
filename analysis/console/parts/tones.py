"""The colour tone of each state in the console, with one table for each set of states. Pure."""

from collections.abc import Mapping
from typing import Literal

from storage.records import (
    CaseState,
    CrawlState,
    MailingState,
    NoticeState,
    ReviewName,
    ScanStatus,
    Verdict,
    WatchState,
    WorkStatus,
)

# A tone is a class of the style sheet, for example ``.badge.grave``.
Tone = Literal["", "grave", "warn", "well", "accent"]

VERDICT_TONES: Mapping[Verdict, Tone] = {
    "copy": "grave",
    "partial": "warn",
    "reworded": "accent",
    "licensed": "well",
    "quote": "accent",
    "common": "",
    "clear": "",
}
REVIEW_TONES: Mapping[ReviewName, Tone] = {
    "open": "",
    "confirmed": "grave",
    "dismissed": "well",
    "doubtful": "warn",
}
CASE_TONES: Mapping[CaseState, Tone] = {
    "new": "warn",
    "confirmed": "grave",
    "dismissed": "",
    "notified": "accent",
    "accepted": "accent",
    "refused": "grave",
    "unanswered": "grave",
    "removed": "well",
    "partly_removed": "accent",
    "still_up": "grave",
    "back": "grave",
    "closed": "",
}
NOTICE_TONES: Mapping[NoticeState, Tone] = {
    "made": "",
    "sending": "",
    "sent": "accent",
    "uncertain": "grave",
    "failed": "grave",
    "answered": "well",
    "unanswered": "",
    "withdrawn": "",
}
WATCH_TONES: Mapping[WatchState, Tone] = {
    "waiting": "",
    "up": "warn",
    "changed": "warn",
    "gone": "well",
    "restricted": "warn",
    "moved": "warn",
    "unreachable": "warn",
}
WORK_TONES: Mapping[WorkStatus, Tone] = {
    "indexed": "well",
    "stored": "warn",
    "failed": "grave",
    "removed": "",
}
SCAN_TONES: Mapping[ScanStatus, Tone] = {"running": "accent", "finished": "well", "failed": "grave"}
CRAWL_TONES: Mapping[CrawlState, Tone] = {"due": "accent", "done": "well", "failed": "grave"}
MAILING_TONES: Mapping[MailingState, Tone] = {"waiting": "warn", "failed": "grave", "sent": "well"}
