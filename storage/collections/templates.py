"""Collection ``templates``: where the pages of each site contain their text, learnt from its pages.

There is one document for each host: a limited sample of its newest pages as paths and hashes, and the common
structure of these pages: the elements that contain the text, and the sentences of the frame around the text.
An analyst can disable such a container. The decision is a separate field with an atomic update, so a crawl
that learns at the same time cannot overwrite it.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import utc_now
from system.errors import UnknownId


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntContainer:
    """An element that contains the texts of a site.

    Attributes:
        id: derived from its path, for commands.
        path: as :mod:`crawler.extraction.template` writes it.
        pages: number of sampled pages with their text in it.
        is_used: False: an analyst disabled it.
    """

    path: str
    pages: int
    first_seen: datetime = field(default_factory=utc_now)
    is_used: bool = True

    @property
    def id(self) -> str:
        """The id of the container."""
        return container_id(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLine:
    """A sentence that several pages of a site contain outside of their texts.

    Attributes:
        hash: of the sentence.
        text: its start on the page where it was learnt.
        pages: number of sampled pages with it.
    """

    hash: int
    text: str
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePage:
    """A page of the sample.

    Attributes:
        key: hash of its text; the same text again is the same page.
        paths: paths of the elements that contain its text, the innermost first.
        outside: hashes of the sentences outside of it.
    """

    key: int
    paths: tuple[str, ...]
    outside: frozenset[int]


@dataclass(frozen=True, slots=True)
class HostTemplate:
    """The learnt template of a host.

    Attributes:
        sample: its newest pages, the newest last.
        containers: containers of its texts, the most frequent first.
        frame: sentences around them, the most frequent first.
    """

    sample: tuple[SamplePage, ...] = ()
    containers: tuple[LearntContainer, ...] = ()
    frame: tuple[FrameLine, ...] = ()

    @property
    def used(self) -> frozenset[str]:
        """The paths of the enabled containers."""
        return frozenset(container.path for container in self.containers if container.is_used)

    @property
    def unused(self) -> frozenset[str]:
        """The paths of the disabled containers."""
        return frozenset(container.path for container in self.containers if not container.is_used)

    @property
    def frame_hashes(self) -> frozenset[int]:
        """The hashes of the sentences of the frame."""
        return frozenset(line.hash for line in self.frame)


class TemplateStore:
    """Templates of sites, by host. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._templates = database["templates"]

    def of_host(self, host: str) -> HostTemplate:
        """Return the template of a host; empty before the first learning."""
        row = self._templates.find_one({"_id": host}) or {}
        return HostTemplate(
            tuple(_sample_page(page) for page in row.get("sample", ())),
            tuple(
                _learnt_container(container_row, row.get("unused", ()))
                for container_row in row.get("containers", ())
            ),
            tuple(
                FrameLine(
                    hash=container_row["hash"], text=container_row["text"], pages=container_row["pages"]
                )
                for container_row in row.get("frame", ())
            ),
        )

    def hosts_among(self, hosts: Iterable[str], *, limit: int) -> list[str]:
        """Return those of the hosts that have a template, sorted by name, at most ``limit``."""
        return self._templates.first_among(hosts, limit=limit)

    def learn(
        self,
        host: str,
        *,
        sample: Iterable[SamplePage],
        containers: Iterable[LearntContainer],
        frame: Iterable[FrameLine],
    ) -> None:
        """Store a host's sample and its common structure; disabled containers stay disabled."""
        document = {
            "sample": [
                {"key": page.key, "paths": list(page.paths), "outside": sorted(page.outside)}
                for page in sample
            ],
            "containers": [
                {"path": learnt.path, "pages": learnt.pages, "first_seen": learnt.first_seen}
                for learnt in containers
            ],
            "frame": [{"hash": learnt.hash, "text": learnt.text, "pages": learnt.pages} for learnt in frame],
            "updated": utc_now(),
        }
        self._templates.update_one({"_id": host}, {"$set": document}, upsert=True)

    def use(self, host: str, container: str, *, used: bool = True) -> LearntContainer:
        """Enable or disable a container; returns the container.

        Args:
            host: the host.
            container: id of the container.
            used: True: enable it.

        Raises:
            UnknownRecord: the host has no container of that id.
        """
        stored = next(
            (candidate for candidate in self.of_host(host).containers if candidate.id == container), None
        )
        if stored is None:
            raise UnknownId(kind="text position", name=container)
        self._templates.update_one({"_id": host}, {"$pull" if used else "$addToSet": {"unused": container}})
        return stored


def container_id(path: str) -> str:
    """Return the id of the container with a path."""
    return hashlib.blake2b(path.encode(), digest_size=4).hexdigest()


def _sample_page(row: Document) -> SamplePage:
    return SamplePage(key=row["key"], paths=tuple(row["paths"]), outside=frozenset(row["outside"]))


def _learnt_container(row: Document, unused: Iterable[str]) -> LearntContainer:
    return LearntContainer(
        path=row["path"],
        pages=row["pages"],
        first_seen=row["first_seen"],
        is_used=container_id(row["path"]) not in unused,
    )
