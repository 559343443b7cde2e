"""Word documents (.docx): paragraphs in reading order, tables and text boxes included.

Tracked deletions are skipped, tracked insertions are read. A title in the properties is used only if it has
Han characters, because templates leave other titles there. The file's creation date is ignored: it is not the
date of publication.
"""

import io
from datetime import tzinfo
from pathlib import Path
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as DocumentObject
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml import etree

from fingerprint.text.han import has_han
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.archives import Archive, UnpackingBudget
from tracker.corpus.content import Content, WorkMetadata, metadata_from
from tracker.corpus.markup import require_little_markup
from tracker.corpus.texts import storable

_OLE = b"\xd0\xcf\x11\xe0"  # signature of the container of encrypted documents and of .doc files
_HEADINGS = ("heading 1", "heading 2", "heading 3", "title", "标题 1", "标题 2", "标题 3")
_PARAGRAPH, _RUN, _TEXT = qn("w:p"), qn("w:r"), qn("w:t")
_BREAKS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n"}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


class OldOrEncrypted(PindnaError):
    """A document is protected by a password, or has Word's old format.

    Attributes:
        path: the file or folder.
    """

    template = (
        "Skipped {path}: it is protected by a password, or is a renamed .doc file. Save it as "
        ".docx without a password."
    )


class NoDocument(PindnaError):
    """A file is named like a .docx document but is not one.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: it is not a complete .docx document. Save it again, or save its text as .txt."


def read_word(data: bytes, path: Path, *, max_bytes: int, budget: UnpackingBudget, zone: tzinfo) -> Content:
    """Return a document's text, with its headings and properties.

    Args:
        data: the file.
        path: its name in messages.
        max_bytes: refuse a longer member.
        budget: limit on unpacking.
        zone: of dates without a zone.

    Raises:
        BadArchive, TooManyMembers, UnpacksTooFar, EncryptedFile: the archive cannot be read.
        OldOrEncrypted, NoDocument: the document cannot be read.
    """
    if data.startswith(_OLE):
        raise OldOrEncrypted(path=readable(path))
    archive = Archive(data, path, max_bytes=max_bytes)
    archive.require(archive.members, budget)  # check all members, because the library unpacks all of them
    for member in archive.members:
        if member.name.endswith((".xml", ".rels")):
            require_little_markup(archive.read(member), path)
    try:
        document = Document(io.BytesIO(data))
        text, headings = _text_and_headings(document)
        metadata, remarks = _document_metadata(document, path, zone)
    except (OpcError, BadZipFile, etree.LxmlError, KeyError, ValueError, AttributeError, TypeError) as error:
        raise NoDocument(path=readable(path)) from error  # the library does not check the parts of a document
    return Content(text=storable(text), headings=headings, metadata=metadata, remarks=remarks)


def _text_and_headings(document: DocumentObject) -> tuple[str, dict[int, str]]:
    """Return the text with one line for each paragraph, and its headings by start offset."""
    body = document.element.body
    for twin in list(body.iter(_FALLBACK)):  # a second copy of the same text box, for old programs
        twin.getparent().remove(twin)
    styles = {style.style_id for style in document.styles if (style.name or "").casefold() in _HEADINGS}
    lines: list[str] = []
    headings: dict[int, str] = {}
    at = 0
    for paragraph, line in _paragraph_lines(body):
        if not line.strip():
            continue
        if _style_id(paragraph) in styles:
            headings[at] = " ".join(line.split())
        lines.append(f"{line}\n")
        at += len(line) + 1
    return "".join(lines), headings


def _paragraph_lines(body: "etree._Element") -> list[tuple["etree._Element", str]]:
    """Return each paragraph with its text; the paragraphs of a text box are separate."""
    paragraphs: list[tuple[etree._Element, list[str]]] = []
    around: list[list[str]] = []
    for event, node in etree.iterwalk(body, events=("start", "end"), tag=(_PARAGRAPH, _TEXT, *_BREAKS)):
        if node.tag == _PARAGRAPH:
            if event == "start":
                around.append([])
                paragraphs.append((node, around[-1]))
            else:
                around.pop()
        elif event == "start" and around and node.getparent().tag == _RUN:
            around[-1].append((node.text or "") if node.tag == _TEXT else _BREAKS[node.tag])
    return [(paragraph, "".join(pieces).strip("\n")) for paragraph, pieces in paragraphs]


def _style_id(paragraph: "etree._Element") -> str | None:
    """Return the id of a paragraph's style."""
    node = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return None if node is None else node.get(qn("w:val"))


def _document_metadata(
    document: DocumentObject, path: Path, zone: tzinfo
) -> tuple[WorkMetadata, tuple[PindnaError, ...]]:
    properties = document.core_properties
    values = {
        "title": properties.title if has_han(properties.title or "") else None,
        "author": None if properties.author == "python-docx" else properties.author,
        "language": properties.language,
    }
    return metadata_from(values, path, zone)
