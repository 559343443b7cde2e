"""Size checks before sending: MongoDB stores at most 16 MB in a document.

PyMongo checks a single insert, but not the documents of ``insert_many`` and ``bulk_write``, and servers
report a document that is too large with different codes. The check encodes the document, which is then sent
in that form.
"""

from collections.abc import Mapping
from typing import Any

import bson
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo import DeleteMany, DeleteOne, InsertOne, ReplaceOne, UpdateMany, UpdateOne

from storage.collections.documents import Document, Unstorable

MAX_BYTES = 16 * 1024 * 1024  # of one document: https://www.mongodb.com/docs/manual/reference/limits/

Write = InsertOne[Document] | DeleteOne | DeleteMany | ReplaceOne[Document] | UpdateOne | UpdateMany


class TooLarge(Unstorable):
    """A document has more bytes than MongoDB stores. Data: ``size``, ``limit`` in bytes."""

    template = "A record has {size} bytes, more than the {limit} bytes that MongoDB stores."


def weighed(document: Mapping[str, Any], options: CodecOptions[Any]) -> RawBSONDocument:
    """Encode a document and check its size.

    Args:
        document: the document with its ``_id``.
        options: codec options of its collection.

    Raises:
        TooLarge: the document is too large for MongoDB.
        BSONError, OverflowError, UnicodeError: a value of it cannot be encoded.
    """
    encoded = bson.encode(document, codec_options=options)
    _check_size(len(encoded))
    return RawBSONDocument(encoded)


def weigh_write(write: Write, options: CodecOptions[Any]) -> None:
    """Check the size of the document, or of the change, in a write.

    Raises:
        TooLarge: the document is too large.
        BSONError, OverflowError, UnicodeError: a value of it cannot be encoded.
    """
    if isinstance(write, (DeleteOne, DeleteMany)):
        return
    document = write._doc  # noqa: SLF001 - no public way
    if isinstance(document, RawBSONDocument):
        _check_size(len(document.raw))
    else:
        _check_size(len(bson.encode({"": document}, codec_options=options)) - _AROUND)


_AROUND = len(bson.encode({"": {}})) - len(bson.encode({}))


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise TooLarge(size=size, limit=MAX_BYTES)
