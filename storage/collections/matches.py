"""Collection ``matches``: verified copies, one for each (page, passage, profile, text of the page)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from pymongo import UpdateMany, UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.filters import SORTED_MATCH_FIELDS
from storage.collections.naming import by_prefix, new_numbers, number_of
from storage.collections.newest import Newest
from storage.collections.owners import Owners
from storage.records import (
    FOUND,
    VERDICTS,
    Match,
    MatchPart,
    MatchSummary,
    ReviewState,
    Verdict,
    pack_stretches,
)
from system.errors import UnknownId

# The fields of a match that follow from decisions.
_DECISION_FIELDS = ("spans", "suppressed", "review", "because", "reviewed", "decided", "undecided")
_MOST_COPIED = (("copied_chars", -1), ("_id", 1))
_KEPT_FIELDS = ("first_seen", "number", "joined")  # fields that stay when a match is replaced

# The fields of a match that the figures of its case need, in addition to the stretches.
_PART = (
    "page_id",
    "passage_id",
    "url",
    "work_title",
    "verdict",
    "copied_chars",
    "coverage",
    "first_seen",
    "last_seen",
)
_STRETCHES = ("spans.passage_start", "spans.passage_end")


def match_id(page_id: str, passage_id: int, profile: str, page_part: MatchPart = "article") -> str:
    """Return the natural key of a match as one string, which does not contain the profile's version.

    Args:
        page_id: id of the version of the page.
        passage_id: id of the passage.
        profile: profile of the verdict.
        page_part: the text of the page that contains the match; a passage may be in both.
    """
    key = f"{page_id}:{passage_id}:{profile_name(profile)}"
    return key if page_part == "article" else f"{key}:{page_part}"


def profile_name(profile: str) -> str:
    """Return the name of a profile without its version."""
    return profile.partition("@")[0]


def _upsert(match: Match, number: int | None, owner: str) -> UpdateOne:
    """Return the upsert of a match.

    Args:
        match: the match.
        number: number for a new match.
        owner: mark of the work's rights holder.
    """
    document = {**to_document(match), "owner": owner}
    first = {name: document.pop(name) for name in _KEPT_FIELDS} | {"number": number or 0}
    key = document.pop("_id")
    return UpdateOne({"_id": key}, {"$set": document, "$setOnInsert": first}, upsert=True)


def _is_watched(row: Document) -> bool:
    """Return whether the takedown watch checks the address of a match."""
    return bool(row["verdict"] in FOUND and row["review"] != "dismissed")


def _summary_of(row: Document, number: int) -> MatchSummary:
    spans = row["spans"]
    return MatchSummary(
        id=row["_id"],
        name=f"m{number}" if number else row["_id"],
        stretches=pack_stretches((span["passage_start"], span["passage_end"]) for span in spans),
        review=row.get("review", ""),
        joined=row.get("joined", True),
        confirmed_in_part=any(decided["state"] == "confirmed" for decided in row.get("decided", ())),
        part=row.get("part", "article"),
        charged_to=tuple(row.get("charged_to", ())),
        **{name: row[name] for name in _PART},
    )


class MatchStore:
    """Matches by page and by case. Matches of replaced versions of pages do not count.

    Every method raises ``ServiceDown`` or ``StorageFailed``.
    """

    def __init__(self, database: CheckedDatabase) -> None:
        self._matches = database["matches"]
        self._counters = database["counters"]
        self._newest = Newest(database, "matches")
        self._owners = Owners(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._matches.create_index("page_id")
        self._matches.create_index([("work_id", 1), ("site", 1), ("replaced", 1)])
        for leading in (
            ("replaced", "verdict"),
            ("review", "replaced", "verdict"),
            *((scope, "replaced", "verdict", "review") for scope in ("work_id", "site", "owner")),
        ):
            self._matches.create_index([*((field, 1) for field in leading), *_MOST_COPIED])
        for leading in (("replaced",), ("owner", "replaced")):
            self._matches.create_index([*((field, 1) for field in leading), ("first_seen", -1), ("_id", 1)])
            for field in SORTED_MATCH_FIELDS:
                self._matches.create_index([*((name, 1) for name in leading), (field, 1), ("_id", 1)])
        self._matches.create_index([("owner", 1), ("replaced", 1), ("page_id", 1)])
        self._matches.create_index([("passage_id", 1), ("first_seen", 1)])
        self._matches.create_index("decided.decision_id")
        self._matches.create_index("number")
        self._newest.ensure_schema()

    def replace_for_pages(self, matches: Mapping[str, Iterable[Match]]) -> None:
        """Replace the matches of pages; a match that exists already keeps its first sight and its number.

        Args:
            matches: page id → its matches.
        """
        new_matches = {match.id: match for page_matches in matches.values() for match in page_matches}
        stored = {row["_id"] for row in self._matches.find_among("page_id", list(matches), {"_id": 1})}
        if new_matches:
            self._insert_or_update(new_matches, new=[key for key in new_matches if key not in stored])
        gone = list(stored - new_matches.keys())
        if gone:
            self._matches.delete_many({"_id": {"$in": gone}})

    def _insert_or_update(self, matches: Mapping[str, Match], *, new: Sequence[str]) -> None:
        """Insert new matches (cheaper than an upsert) and update existing matches."""
        self._newest.record(matches[key].first_seen for key in new)
        numbers = self._new_numbers(new)
        owners = self._owners.of(match.work_id for match in matches.values())
        added = self._matches.insert_new(
            [
                {
                    **to_document(matches[key]),
                    "owner": owners[matches[key].work_id],
                    "number": numbers[key],
                }
                for key in new
            ]
        )
        stored = {key for key, is_new in zip(new, added, strict=True) if is_new}
        updates = [
            _upsert(match, numbers.get(key), owners[match.work_id])
            for key, match in matches.items()
            if key not in stored
        ]
        self._matches.bulk_write(updates, ordered=False)

    def _new_numbers(self, ids: Sequence[str]) -> Mapping[str, int]:
        return dict(zip(ids, new_numbers(self._counters, "matches", len(ids)), strict=True))

    def get(self, name: str) -> Match:
        """Return a match by its short name (``m12``), its id, or the beginning of its id.

        Raises:
            UnknownRecord: there is no such match.
            AmbiguousId: several ids start with it.
        """
        match = self.find(name)
        if match is not None:
            return match
        row = by_prefix(self._matches, name, kind="match")
        if row is None:
            raise UnknownId(kind="match", name=name)
        return from_document(Match, row)

    def find(self, name: str) -> Match | None:
        """Return a match by its short name or its whole id; None if it does not exist."""
        number = number_of(name, "m")
        row = None if number is None else self._matches.find_one({"number": number})
        row = row or self._matches.find_one({"_id": name})
        return None if row is None else from_document(Match, row)

    def settle(self, match: Match) -> None:
        """Store which spans of a match count, which are dismissed, and the resulting review state."""
        document = to_document(match)
        self._matches.update_one(
            {"_id": match.id}, {"$set": {name: document[name] for name in _DECISION_FIELDS}}
        )

    def listed(
        self,
        *,
        work_id: int | None = None,
        site: str | None = None,
        review: ReviewState | None = None,
        verdicts: Sequence[Verdict] = VERDICTS,
    ) -> Iterator[Match]:
        """Yield the matches that count, the gravest verdict first, then the most copied.

        Rows are read on demand. For all matches, or all in a review state, the server uses a sorted index.
        The matches of a work or a site are sorted in memory.

        Args:
            work_id: only those of this work.
            site: only those on this site.
            review: only those in this state; empty: open ones.
            verdicts: only these, in this order.
        """
        scope = {"work_id": work_id, "site": site}
        indexed: Document = {field: value for field, value in scope.items() if value is not None}
        for verdict in verdicts:
            also: Document = (
                {"verdict": verdict} if review is None else {"verdict": verdict, "review": review}
            )
            query, rest = (indexed, also) if indexed else (also, {})
            rows = self._matches.ordered({**query, "replaced": None}, rest, sort=_MOST_COPIED)
            for row in rows:
                yield from_document(Match, row)

    def reviewed(self, *states: ReviewState) -> Iterator[Match]:
        """Yield the matches that count, have decisions, and are in one of the given review states."""
        for state in states or ("confirmed", "dismissed", "doubtful"):
            yield from self.listed(review=state)

    def touch_pages(self, last_seen: Mapping[str, datetime], *, scan_id: str) -> None:
        """Store in matches that their pages were seen again.

        Args:
            last_seen: page id → when the page was seen last. Pages without matches cost one look-up.
            scan_id: the scan that saw them.
        """
        pages = {
            row["page_id"] for row in self._matches.find_among("page_id", list(last_seen), {"page_id": 1})
        }
        updates = [
            UpdateMany({"page_id": page}, {"$set": {"last_seen": last_seen[page], "scan_id": scan_id}})
            for page in sorted(pages)
        ]
        if updates:
            self._matches.bulk_write(updates, ordered=False)

    def first_seen_on(self, page_ids: Sequence[str]) -> dict[str, dict[tuple[int, str], datetime]]:
        """Return when pages first had copies of a passage, by page, then passage and profile name."""
        fields = {"page_id": 1, "passage_id": 1, "profile": 1, "first_seen": 1}
        first: dict[str, dict[tuple[int, str], datetime]] = {}
        for row in self._matches.find_among("page_id", page_ids, fields):
            of_page = first.setdefault(row["page_id"], {})
            key = row["passage_id"], profile_name(row["profile"])
            of_page[key] = min(row["first_seen"], of_page.get(key, row["first_seen"]))
        return first

    def pages_with_matches(self, page_ids: Sequence[str]) -> set[str]:
        """Return those of the pages that have a match which is neither dismissed nor ``clear``."""
        rows = self._matches.find_among("page_id", page_ids, {"page_id": 1, "verdict": 1, "review": 1})
        return {row["page_id"] for row in rows if _is_watched(row)}

    def pages_on_sites(self, sites: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield address and id of the pages on sites that have such a match; a page may be repeated."""
        fields = {"url": 1, "page_id": 1, "verdict": 1, "review": 1}
        rows = self._matches.find_among("site", sites, fields)
        return ((row["url"], row["page_id"]) for row in rows if _is_watched(row))

    def places_of_work(self, work_id: int) -> Iterator[tuple[str, str, str]]:
        """Yield page id, site and address of the matches of a work that count."""
        fields = {"page_id": 1, "site": 1, "url": 1}
        rows = self._matches.find({"work_id": work_id, "replaced": None}, fields)
        return ((row["page_id"], row["site"], row["url"]) for row in rows)

    def keys_on_pages(self, page_ids: Iterable[str]) -> set[tuple[int, str]]:
        """Return the distinct (work id, site) of the matches of pages."""
        ids = list(dict.fromkeys(page_ids))
        rows = self._matches.find_among("page_id", ids, {"work_id": 1, "site": 1})
        return {(row["work_id"], row["site"]) for row in rows}

    def of_pages(self, page_ids: Sequence[str]) -> Iterator[Match]:
        """Yield the matches of pages."""
        for row in self._matches.find_among("page_id", page_ids):
            yield from_document(Match, row)

    def of_passage(self, passage_id: int, *, since: datetime, limit: int) -> list[Match]:
        """Return the matches of a passage first seen at or after a moment, the oldest first."""
        rows = self._matches.find(
            {"passage_id": passage_id, "first_seen": {"$gte": since}}, sort=[("first_seen", 1)], limit=limit
        )
        return [from_document(Match, row) for row in rows]

    def get_many(self, ids: Sequence[str]) -> dict[str, Match]:
        """Return the existing matches, by id."""
        return {row["_id"]: from_document(Match, row) for row in self._matches.find_among("_id", ids)}

    def reviews_of(self, ids: Sequence[str]) -> dict[str, tuple[int, ReviewState]]:
        """Return the work and the review state of the matches that exist, by id, in the order of ``ids``."""
        rows = self._matches.find_among("_id", ids, {"work_id": 1, "review": 1})
        stored = {row["_id"]: (row["work_id"], row.get("review", "")) for row in rows}
        return {match_id: stored[match_id] for match_id in ids if match_id in stored}

    def of_decisions(self, decision_ids: Sequence[str]) -> Iterator[Match]:
        """Yield the matches to which decisions apply, except matches of replaced versions, in no order."""
        rows = self._matches.find_among("decided.decision_id", decision_ids)
        return (from_document(Match, row) for row in rows if row.get("replaced") is None)

    def of_page(self, page_id: str) -> list[Match]:
        """Return a page's matches, most copied characters first."""
        return self._find_sorted({"page_id": page_id})

    def of_case(self, work_id: int, site: str) -> list[Match]:
        """Return the matches of a work on a site that count, most copied characters first."""
        return self._find_sorted({"work_id": work_id, "site": site, "replaced": None})

    def summaries_of_case(self, work_id: int, site: str) -> Iterator[MatchSummary]:
        """Yield the summaries of a case's matches that count, without reading whole matches."""
        fields = (*_PART, *_STRETCHES, "part", "charged_to", "decided.state", "review", "joined", "number")
        rows = self._matches.find(
            {"work_id": work_id, "site": site, "replaced": None}, dict.fromkeys(fields, 1)
        )
        return (_summary_of(row, int(row.get("number", 0))) for row in rows)

    def most_copied_before(self, work_id: int, site: str) -> dict[tuple[str, int], int]:
        """Return the most characters that replaced matches of a case copied, by address and passage."""
        fields = {"url": 1, "passage_id": 1, "replaced": 1, "copied_chars": 1}
        most: dict[tuple[str, int], int] = {}
        for row in self._matches.find({"work_id": work_id, "site": site}, fields):
            if row.get("replaced") is not None:
                key = row["url"], row["passage_id"]
                most[key] = max(row["copied_chars"], most.get(key, 0))
        return most

    def mark_joined(self, ids: Sequence[str]) -> None:
        """Mark matches after their events were stored in their case."""
        self._matches.update_among(ids, {"$set": {"joined": True}})

    def history_of_case(self, work_id: int, site: str) -> list[Match]:
        """Return the matches of a work on a site, including those of replaced versions."""
        return self._find_sorted({"work_id": work_id, "site": site})

    def of_work(self, work_id: int) -> list[Match]:
        """Return the matches of a work that count, most copied characters first."""
        return self._find_sorted({"work_id": work_id, "replaced": None})

    def reassign(self, work_id: int, ids: Sequence[str], *, title: str, edition: str) -> None:
        """Move matches to the work with this title, and to an edition of it (empty: the work itself)."""
        owner = self._owners.of([work_id])[work_id]
        fields = {"work_id": work_id, "work_title": title, "edition": edition, "owner": owner}
        self._matches.update_among(ids, {"$set": fields})

    def retitle(self, work_id: int, title: str) -> None:
        """Set the title of a work in its matches."""
        self._matches.update_many({"work_id": work_id}, {"$set": {"work_title": title}})

    def retitle_edition(self, work_id: int, before: str, title: str) -> None:
        """Set the title of a work's edition in its matches."""
        self._matches.update_many({"work_id": work_id, "edition": before}, {"$set": {"edition": title}})

    def history_of_work(self, work_id: int) -> list[Match]:
        """Return the matches of a work, including those of replaced versions."""
        return self._find_sorted({"work_id": work_id})

    def delete_of_work(self, work_id: int) -> None:
        """Delete the matches of a work that is no longer protected."""
        self._matches.delete_many({"work_id": work_id})

    def _find_sorted(self, query: Document) -> list[Match]:
        rows = list(self._matches.find(query))
        matches = [from_document(Match, row) for row in rows]
        return sorted(matches, key=lambda match: (-match.copied_chars, match.id))
