"""Labels of works."""

from collections.abc import Mapping

from analysis.words.i18n import N_
from storage.records import WorkKind, WorkRole, WorkStatus

WORK_ROLES: Mapping[WorkRole, str] = {
    "protected": N_("Protected work"),
    "earlier": N_("Earlier publication"),
    "background": N_("Background text"),
}
WORK_STATES: Mapping[WorkStatus, str] = {
    "stored": N_("Waits to be indexed"),
    "indexed": N_("Indexed"),
    "failed": N_("Could not be indexed"),
    "removed": N_("Removed"),
}
WORK_KINDS: Mapping[WorkKind, str] = {"novel": N_("Novel"), "news": N_("News")}
DETAILS = {
    "id": N_("id"),
    "title": N_("title"),
    "author": N_("author"),
    "holder": N_("rights holder"),
    "language": N_("language"),
    "rights": N_("rights"),
    "kind": N_("kind"),
    "url": N_("address"),
    "published": N_("published"),
    "licensed_sites": N_("licensed sites"),
    "origin": N_("file"),
    "passages": N_("passages"),
    "characters": N_("characters"),
    "postings": N_("entries in the index"),
    "status": N_("status"),
    "edition_of": N_("is an edition of"),
    "role": N_("role"),
    "generation": N_("generation"),
    "params_ids": N_("methods"),
    "memory_bytes": N_("bytes in Redis"),
    "unfinished": N_("passages that were only partly added"),
    "dead": N_("removed passages that still use memory"),
    "capped": N_("entries that are too frequent to look up completely"),
    "buckets": N_("records in Redis"),
}
