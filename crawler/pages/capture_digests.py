"""Computes one digest over a whole capture, so that any change can be detected. Pure.

    digest = SHA-256(len(f1) ‖ f1 ‖ len(f2) ‖ f2 ‖ …)

Each field is preceded by its length in eight bytes, big-endian, so different captures never have the same
bytes. The fields are, in this order: ``pindna-capture-1``; the date, as in WARC-Date; the address, as in
WARC-Target-URI; the block of the request record; the block of the response record up to and including its
first empty line; the remainder of that block; the SHA-256, in hexadecimal, of the extracted body. If the
server's certificate is stored, the first field is ``pindna-capture-2``, and the certificate's SHA-256 is the
last field. docs/evidence.md describes how to compute the digest without this program.
"""

import hashlib
from datetime import UTC, datetime

_FORMAT = b"pindna-capture-1"
_WITH_CERTIFICATE = b"pindna-capture-2"
_LENGTH = 8


def capture_digest(
    *,
    date: str,
    address: str,
    request: bytes,
    headers: bytes,
    body: bytes,
    sha256: str,
    certificate: str = "",
) -> str:
    """Return the digest of a capture, in hexadecimal.

    Args:
        date: of the fetch, ``2026-03-01T08:30:15.123Z``.
        address: the requested address.
        request: request line and fields as stored, with the empty line; empty for a screenshot.
        headers: of the response, in the same form.
        body: as received, or the screenshot; empty if another capture contains it.
        sha256: of the extracted body.
        certificate: SHA-256 of the server's certificate, in hexadecimal; empty if none is stored.
    """
    digest = hashlib.sha256()
    for field in (
        _WITH_CERTIFICATE if certificate else _FORMAT,
        date.encode(),
        address.encode("utf-8", "replace"),
        request,
        headers,
        body,
        sha256.encode(),
        *([certificate.encode()] if certificate else []),
    ):
        digest.update(len(field).to_bytes(_LENGTH, "big"))
        digest.update(field)
    return digest.hexdigest()


def moment(at: datetime) -> str:
    """Return a time in the form of records: UTC, in milliseconds like the database."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
