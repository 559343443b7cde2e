"""Storing works: new, changed or known; only what changed is stored and indexed again.

Order of writes: passages, then the work that names them, then what the work no longer names goes. A crash in
between leaves passages that no work names; the next change of the work clears them away.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from storage.errors import PindnaError, UnknownRecord
from storage.index.interface import FingerprintIndex
from storage.records import FREE, Passage, Work, utc_now
from storage.stores import Stores
from tracker.corpus.reading import RawWork
from tracker.methods import DEFAULT_METHODS

Outcome = Literal["new", "changed", "unchanged"]


class DuplicateTitle(PindnaError):
    """Another text is registered under the title. Data: ``title``, ``origin``, ``other``."""

    template = (
        "{origin}: the title “{title}” is already registered for another text (from {other}); skipped. "
        "Rename the file, or remove the other work first."
    )


@dataclass(frozen=True, slots=True)
class Licence:
    """What a rights holder says of the works that are added.

    Attributes:
        holder: name of the rights holder.
        sites: hosts that may publish the works.
    """

    holder: str | None = None
    sites: tuple[str, ...] = ()


def store_work(
    raw: RawWork, stores: Stores, index: FingerprintIndex, *, licence: Licence
) -> tuple[Outcome, Work]:
    """Store a work; indexing it is the worker's business.

    Returns:
        What happened, and the work as it is stored now.

    Raises:
        DuplicateTitle: the title belongs to a text from another file that shares no passage with this one.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    known = stores.works.by_key(raw.key)
    shas = _hashes(raw)
    if known is None:
        work_id = stores.works.new_ids("works", 1)[0]
        new = Work(id=work_id, key=raw.key, title=raw.title, kind=raw.kind, origin=raw.origin)
        return "new", _save_texts(_described(raw, licence, new), raw, stores, before={})
    if known.sha256 == _joined(shas):
        work = _described(raw, licence, known)
        if work.status == "failed":
            work = replace(work, status="stored", attempts=0)
        if work != known:
            stores.works.describe(work)
        if work.licensed_sites != known.licensed_sites:
            stores.works.raise_corpus_version()  # a licence changes verdicts
        return "unchanged", work
    stored = stores.passages.of_work(known.id)
    before = {passage.sha256: passage for passage in stored}
    if known.origin != raw.origin and not before.keys() & set(shas):
        raise DuplicateTitle(title=raw.title, origin=raw.origin, other=known.origin)
    work = _save_texts(_described(raw, licence, known), raw, stores, before=before)
    gone = [each.id for each in stored if each.id not in work.passage_ids]
    forget_passages(gone, stores, index)
    return "changed", work


def remove_work(key: str, stores: Stores, index: FingerprintIndex) -> Work:
    """Forget a work with its passages, matches and cases; what a crash leaves, a repetition clears.

    Args:
        key: title, URL or id of the work.
        stores: the database.
        index: the live index.

    Raises:
        UnknownRecord: there is no such work.
    """
    work = find_work(key, stores)
    # Nothing of it must be in the index now, and no file must pass for what is stored.
    stores.works.save(replace(work, passage_ids=(), sha256="", status="failed"))
    stores.works.raise_corpus_version()
    forget_passages(stores.passages.ids_of_work(work.id), stores, index)
    stores.matches.delete_of_work(work.id)
    stores.cases.delete_of_work(work.id)
    stores.dismissals.delete_of_work(work.id)
    stores.works.delete(work.id)
    return work


def find_work(key: str, stores: Stores) -> Work:
    """Return a work by URL or title (its natural key), by id, or by a title that only one article has.

    Raises:
        UnknownRecord: there is no such work, or several articles have that title.
    """
    work = stores.works.by_key(key)
    if work is None and key.isdecimal():
        work = stores.works.get_many([int(key)]).get(int(key))
    titled = [work] if work else [each for each in stores.works.all() if each.title == key]
    if len(titled) != 1:
        raise UnknownRecord(kind="work", name=key)
    return titled[0]


def forget_passages(ids: list[int], stores: Stores, index: FingerprintIndex) -> None:
    """Take passages out of the index and the database."""
    if ids:
        index.remove(ids)
        stores.fingerprints.delete_many(ids, DEFAULT_METHODS.params_ids)
        stores.passages.delete_many(ids)


def _described(raw: RawWork, licence: Licence, work: Work) -> Work:
    """Return the work with what the file and the command line say of it; silence changes nothing."""
    return replace(
        work,
        title=raw.title,
        origin=raw.origin,
        author=raw.author or work.author,
        url=raw.url or work.url,
        published=raw.published or work.published,
        holder=licence.holder or work.holder,
        licensed_sites=tuple(sorted({*work.licensed_sites, *licence.sites})),
    )


def _save_texts(work: Work, raw: RawWork, stores: Stores, *, before: dict[str, Passage]) -> Work:
    """Store the passages that are new and the work that names them all.

    ``before`` maps hashes to the passages that are stored already; those that stay are taken out of it.
    """
    shas = _hashes(raw)
    reused = [before.pop(sha, None) for sha in shas]
    fresh = iter(stores.works.new_ids("passages", reused.count(None)) if None in reused else ())
    passages = [
        Passage(
            id=next(fresh) if known is None else known.id,
            work_id=work.id,
            ordinal=ordinal,
            title=section.title,
            text=section.text,
            sha256=sha,
        )
        for ordinal, (section, sha, known) in enumerate(zip(raw.sections, shas, reused, strict=True))
    ]
    stores.passages.save_many(passages)
    work = replace(
        work,
        kind=raw.kind,
        passage_ids=tuple(passage.id for passage in passages),
        characters=sum(len(passage.text) for passage in passages),
        sha256=_joined(shas),
        status="stored",
        attempts=0,
        updated=utc_now(),
        lease=FREE,
    )
    stores.works.save(work)
    return work


def _hashes(raw: RawWork) -> list[str]:
    """Return the SHA-256 of each section with its title."""
    joined = (f"{section.title}\0{section.text}" for section in raw.sections)
    return [hashlib.sha256(each.encode("utf-8", "replace")).hexdigest() for each in joined]


def _joined(shas: Sequence[str]) -> str:
    return hashlib.sha256("".join(shas).encode()).hexdigest()
