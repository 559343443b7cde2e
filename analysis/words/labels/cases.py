"""Labels of cases, of their events, and of the notices about them."""

from collections.abc import Mapping

from analysis.words.i18n import N_
from storage.records import CaseState, ContactRole, DocumentKind, EventKind, NoticeKind, NoticeState

CASE_STATES: Mapping[CaseState, str] = {
    "new": N_("New"),
    "confirmed": N_("Confirmed"),
    "dismissed": N_("Dismissed"),
    "notified": N_("Notified"),
    "accepted": N_("Accepted by the site"),
    "refused": N_("Refused by the site"),
    "unanswered": N_("Unanswered"),
    "removed": N_("Removed by the site"),
    "partly_removed": N_("Removed in part"),
    "still_up": N_("Still up"),
    "back": N_("Online again"),
    "closed": N_("Closed"),
}
# Events of a case; a move has the label of the new state.
EVENTS: Mapping[CaseState | EventKind, str] = {
    **dict(CASE_STATES.items()),
    "carried-over": N_("Carried over from an earlier version"),
    "opened": N_("Case opened"),
    "joined": N_("New copy"),
    "reopened": N_("Reopened"),
    "assigned": N_("Assigned"),
    "deadline": N_("Deadline set"),
    "noted": N_("Note"),
    "replied": N_("Reply of the site"),
    "exported": N_("Evidence package made"),
    "notice-made": N_("Notice created"),
    "notice-sent": N_("Notice sent"),
    "notice-failed": N_("Notice not sent"),
    "notice-uncertain": N_("Delivery of notice uncertain"),
    "notice-withdrawn": N_("Notice withdrawn"),
    "match-confirmed": N_("Match confirmed"),
    "match-dismissed": N_("Match dismissed"),
    "match-doubtful": N_("Match set aside"),
    "signed-in": N_("Signed in"),
    "signed-out": N_("Signed out"),
    "sign-in-refused": N_("Sign-in refused"),
    "account-added": N_("Account added"),
    "account-changed": N_("Account changed"),
    "token-made": N_("Token made"),
    "token-revoked": N_("Token revoked"),
    "licence-granted": N_("Licence granted"),
    "source-saved": N_("Source saved"),
    "source-removed": N_("Source removed"),
    "work-added": N_("Work added"),
    "work-changed": N_("Work changed"),
    "work-removed": N_("Work removed"),
    "scan-started": N_("Scan started"),
    "scan-stopped": N_("Scan stopped"),
    "requested": N_("Other action"),
    "match-reopened": N_("Match reopened"),
}
# Factors of the priority of a case.
PRIORITIES = {
    "copied_chars": N_("copied characters"),
    "share": N_("share of the work"),
    "lag_days": N_("days after the work"),
    "other_cases": N_("other cases of the site that were confirmed"),
    "traffic_rank": N_("traffic rank"),
}
# Reasons for closing a case automatically.
CLOSED_BECAUSE = {
    "no-matches": N_("No copies remain"),
    "not-protected": N_("The work was removed from the protected works"),
    "joined": N_("The matches now belong to another case"),
}
NOTICE_STATES: Mapping[NoticeState, str] = {
    "made": N_("Made, not sent yet"),
    "sending": N_("Being sent"),
    "sent": N_("Sent"),
    "uncertain": N_("Uncertain"),
    "failed": N_("Not sent"),
    "answered": N_("Answered"),
    "unanswered": N_("Unanswered"),
    "withdrawn": N_("Withdrawn"),
}
NOTICE_KINDS: Mapping[NoticeKind, str] = {
    "infringement": N_("Notice of infringement"),
    "dmca": N_("DMCA notice"),
    "reminder": N_("Reminder"),
    "counsel": N_("Instruction of counsel"),
}
CONTACT_ROLES: Mapping[ContactRole, str] = {
    "site": N_("Site"),
    "host": N_("Hosting provider"),
    "search": N_("Search engine"),
    "counsel": N_("Law firm"),
}
DOCUMENT_KINDS: Mapping[DocumentKind, str] = {
    "authorisation": N_("Authorisation"),
    "identity": N_("Proof of identity"),
    "title": N_("Proof of title"),
}
