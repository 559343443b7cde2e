"""Timestamps by RFC 3161: an authority signs that some bytes were there at a moment.

Authorities are asked all at once, each with a limit of time and size; one that does not answer, or wrongly,
is a line, and the others' tokens are kept. A token is checked before it is kept: against the root certificate
that the settings pin, the bytes and the nonce of the request. Checking one later needs no network: the
certificates need to be valid at the time that the token tells, not today.
"""

import base64
import hashlib
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPException

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from storage.settings.results import TimestampAuthority
from system.errors import PindnaError, one_line
from system.local_files import read_file
from system.messages import N_
from system.secrets import secret_of

_MAX_BYTES = 200_000  # of a token with its certificates, or of a root certificate
_SETTING = "analysis.evidence.authorities"


class BadTimestamp(PindnaError):
    """A timestamp is not one of some bytes by an authority of a root. Data: ``problem``."""

    template = "The timestamp cannot be trusted: {problem}."


class AuthorityFailed(PindnaError):
    """An authority gave no timestamp. Data: ``authority``, ``problem``."""

    template = "The timestamp authority {authority} gave no timestamp: {problem}. It will be asked again."


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A timestamp as an authority gave it.

    Attributes:
        authority: its address.
        token: the DER-encoded response.
        root: the root certificate that it was checked against, as PEM.
        time: what it tells.
    """

    authority: str
    token: bytes
    root: bytes
    time: datetime


@dataclass(frozen=True, slots=True)
class CheckedTimestamp:
    """What a timestamp shows.

    Attributes:
        time: the moment at which the bytes were there.
        root: subject of the root certificate that it leads to.
        fingerprint: SHA-256 of that certificate, hexadecimal.
    """

    time: datetime
    root: str
    fingerprint: str


def timestamps(
    data: bytes, authorities: Sequence[TimestampAuthority], *, timeout_s: float
) -> tuple[list[Timestamp], list[AuthorityFailed]]:
    """Ask authorities for timestamps of some bytes; returns what they gave, and the errors of the others.

    Args:
        data: the bytes; only their SHA-256 is sent.
        authorities: from the settings.
        timeout_s: how long each may take.
    """
    if not authorities:
        return [], []
    with ThreadPoolExecutor(max_workers=len(authorities)) as pool:
        answers = list(pool.map(lambda authority: _ask(data, authority, timeout_s), authorities))
    stamps = [answer for answer in answers if isinstance(answer, Timestamp)]
    return stamps, [answer for answer in answers if isinstance(answer, AuthorityFailed)]


def _ask(data: bytes, authority: TimestampAuthority, timeout_s: float) -> Timestamp | AuthorityFailed:
    try:
        root = read_file(authority.root, max_bytes=_MAX_BYTES)
        request = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).build()
        token = _post(authority, request.as_bytes(), timeout_s)
        checked = check_timestamp(token, data, root, nonce=request.nonce)
    except (PindnaError, OSError, HTTPException, ValueError) as error:
        problem = str(error.data["problem"]) if isinstance(error, BadTimestamp) else str(error)
        return AuthorityFailed(authority=authority.url, problem=one_line(problem) or type(error).__name__)
    return Timestamp(authority.url, token, root, checked.time)


def _post(authority: TimestampAuthority, request: bytes, timeout_s: float) -> bytes:
    """Return an authority's answer.

    Raises:
        OSError, HTTPException: it cannot be reached, or refuses.
        MissingSecret: its password is not set.
        BadTimestamp: it answers with too much.
    """
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    if authority.password:
        login = f"{authority.user}:{secret_of(authority.password, where=_SETTING)}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    # The scheme is that of the settings, which allow http and https only.
    query = urllib.request.Request(authority.url, data=request, headers=headers)  # noqa: S310
    with _opener().open(query, timeout=timeout_s) as answer:
        token: bytes = answer.read(_MAX_BYTES + 1)
    if len(token) > _MAX_BYTES:
        raise BadTimestamp(problem=N_("the answer is too long"))
    return token


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere: a password is for one host."""

    def redirect_request(self, *_: object) -> None:
        """Refuse."""


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def check_timestamp(token: bytes, data: bytes, root: bytes, *, nonce: int | None = None) -> CheckedTimestamp:
    """Return what a timestamp of some bytes shows. No network is needed.

    Args:
        token: a DER-encoded response.
        data: the bytes.
        root: the root certificate that it has to lead to, as PEM or DER.
        nonce: of the request, where it is known.

    Raises:
        BadTimestamp: it is none, is of other bytes, does not lead to the root, or is spelt in another way.
    """
    try:
        response = decode_timestamp_response(token)
        if response.as_bytes() != token:
            raise BadTimestamp(problem=N_("another spelling of the token"))
        certificate = load_root(root)
        verifier = VerifierBuilder(roots=[certificate], nonce=nonce).build()
        verifier.verify_message(response, data)
        time = response.tst_info.gen_time
    except (VerificationError, ValueError) as error:
        raise BadTimestamp(problem=one_line(str(error)) or "it cannot be read") from error
    return CheckedTimestamp(time, certificate.subject.rfc4514_string(), root_fingerprint(certificate))


def load_root(root: bytes) -> x509.Certificate:
    """Return a root certificate from a PEM or DER file.

    Raises:
        ValueError: it is none.
    """
    if root.lstrip().startswith(b"-----"):
        return x509.load_pem_x509_certificate(root)
    return x509.load_der_x509_certificate(root)


def root_fingerprint(certificate: x509.Certificate) -> str:
    """Return the SHA-256 of a certificate, as ``openssl x509 -fingerprint -sha256`` does, hexadecimal."""
    return hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()
