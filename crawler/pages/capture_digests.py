"""One digest over a whole capture, so that nothing in it can be changed without being noticed. Pure.

    digest = SHA-256(len(f1) ‖ f1 ‖ len(f2) ‖ f2 ‖ …)

Each field goes in behind its length, eight bytes, the highest first: so that two captures never have the same
bytes. The fields, in this order: ``pindna-capture-1``; date, as in WARC-Date; address, as in
WARC-Target-URI; the block of the request record; the block of the response record up to and with its first
empty line; what follows in that block; the SHA-256, in hexadecimal, of the body that was read. Where the
server's certificate is kept, the first field is ``pindna-capture-2`` and its SHA-256 is one more at the end.
docs/evidence.md says how to compute it without this program.
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
        address: that was asked for.
        request: request line and fields as they are kept, with the empty line; empty for a screenshot.
        headers: of the response, in the same way.
        body: as it was received, or the screenshot; empty where another capture holds it.
        sha256: of the body that was read.
        certificate: SHA-256 of the server's, in hexadecimal; empty where none is kept.
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
    """Return a time as records have it: UTC, to the millisecond that the database keeps."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
