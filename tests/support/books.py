"""Books, documents and archives as programs write them, and as strangers do."""

import io
import zipfile

import docx
from support.strategies import story

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
)
XHTML = (
    '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title>t</title><style>p {{}}</style></head><body>{}</body></html>"
)
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
METADATA = (
    "<dc:title>雾中船</dc:title><dc:creator>沈砚秋</dc:creator><dc:creator>陆行舟</dc:creator>"
    "<dc:language>zh-CN</dc:language><dc:date>2021-05-06</dc:date><dc:rights>版权所有</dc:rights>"
)
ENCRYPTION = (
    '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
    '<enc:EncryptionMethod Algorithm="{}"/><enc:CipherData><enc:CipherReference URI="{}"/></enc:CipherData>'
    "</enc:EncryptedData></encryption>"
)


def text(seed, chars=200):
    """Lines of random prose."""
    letters = story(chars, seed)
    return "\n".join(letters[at : at + 50] for at in range(0, chars, 50))


def zip_of(files, *, encoding=None, method=zipfile.ZIP_DEFLATED):
    """Return a zip archive.

    Args:
        files: contents by name, or pairs of both.
        encoding: of the names, which the archive does not tell; None: UTF-8, as it does.
        method: of compression.
    """
    packed, raw_names = io.BytesIO(), {}
    with zipfile.ZipFile(packed, "w", method) as archive:
        for number, (name, data) in enumerate(files.items() if isinstance(files, dict) else files):
            if encoding is None:
                archive.writestr(name, data)
                continue
            raw = name.encode(encoding)
            place = f"{number:04}".ljust(len(raw), "~")
            raw_names[place.encode()] = raw
            archive.writestr(place, data)
    data = packed.getvalue()
    for place, raw in raw_names.items():
        data = data.replace(place, raw)
    return data


def epub_of(
    chapters,
    *,
    metadata=METADATA,
    extra=None,
    spine=None,
    items="",
    kind="application/xhtml+xml",
    method=zipfile.ZIP_DEFLATED,
):
    """Return a book.

    Args:
        chapters: contents of the body elements by the names of their files.
        metadata: of the package.
        extra: further members by name.
        spine: names of chapters in reading order; None: as they are given.
        items: further ones of the manifest.
        kind: media type of the chapters in the manifest.
        method: of compression.
    """
    names = list(chapters)
    manifest = "".join(
        f'<item id="c{number}" href="Text/{name.replace(" ", "%20")}" media-type="{kind}"/>'
        for number, name in enumerate(names)
    )
    order = "".join(f'<itemref idref="c{names.index(name)}"/>' for name in spine or names)
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><metadata {DC}>{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine>{order}</spine></package>"
    )
    return zip_of(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": package,
            **{f"OEBPS/Text/{name}": XHTML.format(body) for name, body in chapters.items()},
            **(extra or {}),
        },
        method=method,
    )


def paragraphs(seed):
    """Prose as elements."""
    return "".join(f"<p>{line}</p>" for line in text(seed).splitlines())


def docx_of(chapters, **properties):
    """Return a document with a heading and paragraphs for each chapter.

    Args:
        chapters: texts by heading.
        properties: core properties.
    """
    document = docx.Document()
    for name, value in properties.items():
        setattr(document.core_properties, name, value)
    for heading, body in chapters.items():
        document.add_heading(heading, 1)
        for line in body.splitlines():
            document.add_paragraph(line)
    packed = io.BytesIO()
    document.save(packed)
    return packed.getvalue()
