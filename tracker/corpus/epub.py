"""EPUB books: the XHTML of their chapters in spine order, and the metadata of the package.

Source: EPUB 3.3 (W3C), and EPUB 2 for its table of contents. A book with encrypted chapters is refused;
obfuscated fonts do not protect the text.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from fingerprint.text.decoding import looks_binary
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.archives import Archive, ArchiveMember, UnpackingBudget
from tracker.corpus.content import Content, WorkMetadata, metadata_from
from tracker.corpus.markup import MAX_MARKUP, TooMuchMarkup, markup_in, read_visible, require_little_markup
from tracker.corpus.texts import BinaryFile, first_names

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# media types without text; any other item may be a chapter
_WITHOUT_TEXT = ("image/", "audio/", "video/", "font/")
_FONT_OBFUSCATION = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_MAX_LABEL_CHARS = 200
_NCX = "application/x-dtbncx+xml"
_MAX_TABLES = 2  # maximum number of tables of contents: one of EPUB 2 and one of EPUB 3
_MAX_MARKUP = 2 * MAX_MARKUP  # maximum number of tags in all chapters: a novel of 100 MB has half of that
_UNDATED = "0101-01-01"  # Calibre's value for an unknown date


class ProtectedBook(PindnaError):
    """The chapters of a book are encrypted.

    Attributes:
        path: the file or folder.
    """

    template = (
        "Skipped {path}: it is protected against copying (DRM), so its text cannot be read. Use "
        "the manuscript, or a copy without protection."
    )


class MissingChapters(PindnaError):
    """Chapters in a book's spine are not in the file.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
    """

    template = "{path} lacks {count} of its chapters: {names}. Download or create it again."


class NoBook(PindnaError):
    """A file is named like an EPUB book but is not one.

    Attributes:
        path: the file or folder.
        problem: the reason.
    """

    template = (
        "Skipped {path}: it is not a complete EPUB ({problem}). Export it again, or save its text as .txt."
    )


def read_epub(data: bytes, path: Path, *, max_bytes: int, budget: UnpackingBudget, zone: tzinfo) -> Content:
    """Return a book's text, with its headings and metadata.

    Args:
        data: the file.
        path: its name in messages.
        max_bytes: refuse a longer member.
        budget: limit on unpacking.
        zone: of dates without a zone.

    Raises:
        BadArchive, TooManyMembers, UnpacksTooFar, EncryptedFile: the archive cannot be read.
        NoBook, ProtectedBook, TooMuchMarkup: the book cannot be read.
    """
    return _Book(Archive(data, path, max_bytes=max_bytes), path, budget).content(zone)


class _Book:
    """A book during reading."""

    def __init__(self, archive: Archive, path: Path, budget: UnpackingBudget) -> None:
        self._archive = archive
        self._path = path
        self._members = {member.name: member for member in archive.members}
        self._budget = budget

    def content(self, zone: tzinfo) -> Content:
        """Return the text of all readable chapters, with their headings and the book's metadata.

        Raises:
            NoBook, ProtectedBook: the book cannot be read.
            UnpacksTooFar, EncryptedFile, BadArchive: its package cannot be read.
            TooMuchMarkup: its package or all its chapters together have too many tags.
        """
        name = self._package_name()
        package = self._parse_xml(name)
        spine = self._spine_paths(package, posixpath.dirname(name))
        chapters = [member for path in spine if (member := self._members.get(path)) is not None]
        if not chapters:
            raise NoBook(path=readable(self._path), problem="none of its listed chapters is in the file")
        self._refuse_encrypted({member.name for member in chapters})
        labels = self._chapter_labels(package, posixpath.dirname(name))
        texts: list[str] = []
        headings: dict[int, str] = {}
        remarks: list[PindnaError] = list(self._missing_chapters(spine))
        at = 0
        for member, chapter in self._readable_chapters(chapters, remarks):
            chapter_headings = chapter.headings or ({0: labels[member.name]} if member.name in labels else {})
            headings |= {at + path: title for path, title in chapter_headings.items()}
            texts.append(chapter.text)
            at += len(chapter.text)
        metadata, odd = _package_metadata(package, self._path, zone)
        return Content(text="".join(texts), headings=headings, metadata=metadata, remarks=(*odd, *remarks))

    def _missing_chapters(self, spine: Sequence[str]) -> Iterator[PindnaError]:
        """Yield a remark on chapters that are not in the book."""
        missing = [chapter_path for chapter_path in spine if chapter_path not in self._members]
        if missing:
            yield MissingChapters(
                path=readable(self._path), count=len(missing), names=first_names(list(map(readable, missing)))
            )

    def _readable_chapters(
        self, members: Iterable[ArchiveMember], remarks: list[PindnaError]
    ) -> Iterator[tuple[ArchiveMember, Content]]:
        """Yield the readable chapters; add the errors of others to the remarks.

        Raises:
            TooMuchMarkup: all chapters together have too many tags.
        """
        markup = 0
        for member in members:
            try:
                data = self._read_member(member)
                if looks_binary(data):
                    raise BinaryFile(path=readable(self._path / member.name))
                require_little_markup(data, self._path / member.name)
            except PindnaError as error:
                remarks.append(error)
                continue
            markup += markup_in(data)
            if markup > _MAX_MARKUP:
                raise TooMuchMarkup(path=readable(self._path), limit=_MAX_MARKUP)
            yield member, read_visible(data, self._path / member.name)

    def _package_name(self) -> str:
        """Return the path of the package document.

        Raises:
            NoBook: the container names none.
        """
        for rootfile in self._parse_xml(_CONTAINER).iter("{*}rootfile"):
            name = posixpath.normpath(unquote(rootfile.get("full-path", "")))
            if name in self._members:
                return name
        raise NoBook(path=readable(self._path), problem="its container lists no package")

    def _spine_paths(self, package: "etree._Element", folder: str) -> list[str]:
        """Return the paths of the chapters in reading order, each once, without the table of contents.

        A chapter that the manifest lacks keeps its name from the spine, so it counts as missing.
        """
        items = {item.get("id"): item for item in package.iter("{*}item")}
        places: dict[str, None] = {}
        for reference in package.iter("{*}itemref"):
            name = reference.get("idref", "")
            item = items.get(name)
            if item is None:
                places[name] = None
            elif not _is_apart(item):
                places[_archive_path(folder, item.get("href", ""))] = None
        return list(places)

    def _refuse_encrypted(self, chapters: set[str]) -> None:
        """Check that no chapter is encrypted.

        Raises:
            ProtectedBook: a chapter is.
        """
        if _ENCRYPTION not in self._members:
            return
        for data in self._parse_xml(_ENCRYPTION).iter("{*}EncryptedData"):
            method = data.find("{*}EncryptionMethod")
            if method is not None and method.get("Algorithm") in _FONT_OBFUSCATION:
                continue
            for reference in data.iter("{*}CipherReference"):
                if _archive_path("", reference.get("URI", "")) in chapters:
                    raise ProtectedBook(path=readable(self._path))

    def _chapter_labels(self, package: "etree._Element", folder: str) -> Mapping[str, str]:
        """Return the first label that the table of contents gives to each chapter."""
        labels: dict[str, str] = {}
        places = {
            _archive_path(folder, item.get("href", "")): None
            for item in package.iter("{*}item")
            if _is_table(item)
        }
        for path in list(places)[:_MAX_TABLES]:
            try:
                table = self._parse_xml(path)
            except PindnaError:  # a book can be read without its table of contents
                continue
            for href, label in _contents_entries(table):
                labels.setdefault(_archive_path(posixpath.dirname(path), href), label)
        return labels

    def _parse_xml(self, name: str) -> "etree._Element":
        """Return the root of an XML document in the book; its declared entities are not expanded.

        Raises:
            NoBook: it is missing or not XML.
            UnpacksTooFar, EncryptedFile, BadArchive: the member cannot be read.
        """
        if name not in self._members:
            raise NoBook(path=readable(self._path), problem="a file in it is missing")
        data = self._read_member(self._members[name])
        require_little_markup(data, self._path / name)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError):
            root = None
        if root is None:
            raise NoBook(path=readable(self._path), problem="a file in it is not XML")
        return root

    def _read_member(self, member: ArchiveMember) -> bytes:
        self._archive.require([member], self._budget)
        return self._archive.read(member)


def _is_apart(item: "etree._Element") -> bool:
    """Return whether an item of the spine is a table of contents, or has no text."""
    return _is_table(item) or item.get("media-type", "").lower().startswith(_WITHOUT_TEXT)


def _is_table(item: "etree._Element") -> bool:
    """Return whether an item of the manifest is a table of contents."""
    return "nav" in (item.get("properties") or "").split() or item.get("media-type") == _NCX


def _archive_path(folder: str, href: str) -> str:
    """Return the path in the archive that a reference points to."""
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _contents_entries(table: "etree._Element") -> list[tuple[str, str]]:
    """Return the references and labels of a table of contents, in the format of EPUB 2 or 3."""
    points = [
        (content.get("src", ""), label)
        for point in table.iter("{*}navPoint")
        if (content := point.find("{*}content")) is not None
        and (label := _short_label(point.find("{*}navLabel")))
    ]
    return points or [
        (link.get("href", ""), label) for link in table.iter("{*}a") if (label := _short_label(link))
    ]


def _element_line(node: "etree._Element | None") -> str:
    """Return the text of an element as one line."""
    return "" if node is None else " ".join("".join(node.itertext()).split())


def _short_label(node: "etree._Element | None") -> str:
    """Return the beginning of an element's text as one line."""
    if node is None:
        return ""
    pieces, length = list[str](), 0
    for piece in node.itertext():
        pieces.append(piece[:_MAX_LABEL_CHARS])
        length += len(pieces[-1])
        if length >= _MAX_LABEL_CHARS:
            break
    return " ".join("".join(pieces).split())[:_MAX_LABEL_CHARS]


def _package_metadata(
    package: "etree._Element", path: Path, zone: tzinfo
) -> tuple[WorkMetadata, tuple[PindnaError, ...]]:
    """Return the package's metadata. A year without a day, which EPUB allows, is not used as a date."""
    said: dict[str, list[str]] = {}
    for name in ("title", "creator", "language", "rights", "date"):
        nodes = package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
        said[name] = [text for node in nodes if (text := _element_line(node))]
    days = [day for day in said["date"] if len(day) >= len(_UNDATED) and not day.startswith(_UNDATED)]
    values = {
        "title": said["title"][:1],
        "creator": said["creator"],
        "language": said["language"][:1],
        "rights": said["rights"],
        "date": days[:1],
    }
    return metadata_from(values, path, zone)
