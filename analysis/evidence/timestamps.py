"""Timestamps by RFC 3161: an authority signs that data existed at a time.

All authorities are asked at once, each within limits of time and size. A failure is reported, and the tokens
of the other authorities are stored. A token is checked before it is stored: against the pinned root
certificate, the data and the nonce of the request. A later check needs no network: certificates must be valid
at the time of the token, not today.
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

from storage.settings.results import TimestampAuthority
from system.errors import PindnaError, one_line
from system.extras import importing_extra
from system.local_files import read_file
from system.messages import N_
from system.secrets import secret_of

_MAX_BYTES = 200_000  # maximum size of a token with its certificates, and of a root certificate
_SETTING = "analysis.evidence.authorities"


class BadTimestamp(PindnaError):
    """A timestamp does not prove the data, or does not lead to the root certificate.

    Attributes:
        problem: the reason.
    """

    template = "The timestamp cannot be trusted: {problem}."


class AuthorityFailed(PindnaError):
    """An authority returned no timestamp.

    Attributes:
        authority: its address.
        problem: the reason.
    """

    template = (
        "The timestamp authority {authority} returned no timestamp: {problem}. pindna will request it again."
    )


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A timestamp from an authority.

    Attributes:
        authority: its address.
        token: the DER-encoded response.
        root: the root certificate that it was checked against, as PEM.
        time: its time.
    """

    authority: str
    token: bytes
    root: bytes
    time: datetime


@dataclass(frozen=True, slots=True)
class CheckedTimestamp:
    """The content of a valid timestamp.

    Attributes:
        time: a time at which the data existed.
        root: subject of its root certificate.
        fingerprint: SHA-256 of that certificate, in hexadecimal.
    """

    time: datetime
    root: str
    fingerprint: str


def timestamps(
    data: bytes, authorities: Sequence[TimestampAuthority], *, timeout_s: float
) -> tuple[list[Timestamp], list[AuthorityFailed]]:
    """Request timestamps of data from authorities. Return the timestamps, and the errors of the others.

    Args:
        data: the data; only its SHA-256 is sent.
        authorities: the authorities from the settings.
        timeout_s: time limit for each.
    """
    if not authorities:
        return [], []
    with ThreadPoolExecutor(max_workers=len(authorities)) as pool:
        answers = list(
            pool.map(lambda authority: _request_timestamp(data, authority, timeout_s), authorities)
        )
    stamps = [answer for answer in answers if isinstance(answer, Timestamp)]
    return stamps, [answer for answer in answers if isinstance(answer, AuthorityFailed)]


def _request_timestamp(
    data: bytes, authority: TimestampAuthority, timeout_s: float
) -> Timestamp | AuthorityFailed:
    try:
        with importing_extra():
            from rfc3161_client import HashAlgorithm, TimestampRequestBuilder  # noqa: PLC0415 - of an extra
        root = _root_of(authority)
        request = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).build()
        token = _post_request(authority, request.as_bytes(), timeout_s)
        checked = check_timestamp(token, data, root, nonce=request.nonce)
    except (PindnaError, OSError, HTTPException, ValueError) as error:
        problem = str(error.data["problem"]) if isinstance(error, BadTimestamp) else str(error)
        return AuthorityFailed(authority=authority.url, problem=one_line(problem) or type(error).__name__)
    return Timestamp(authority.url, token, root, checked.time)


def _root_of(authority: TimestampAuthority) -> bytes:
    """Return the root certificate of an authority, from its file or its text in the settings."""
    if authority.root is None:
        return authority.root_pem.encode()
    return read_file(authority.root, max_bytes=_MAX_BYTES)


def _post_request(authority: TimestampAuthority, request: bytes, timeout_s: float) -> bytes:
    """Return the answer of an authority.

    Raises:
        OSError, HTTPException: it cannot be reached, or refuses.
        MissingSecret: its password is not set.
        BadTimestamp: its answer is too long.
    """
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    if authority.password:
        login = f"{authority.user}:{secret_of(authority.password, where=_SETTING)}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    # The settings allow only http and https.
    query = urllib.request.Request(authority.url, data=request, headers=headers)  # noqa: S310
    with _opener().open(query, timeout=timeout_s) as answer:
        token: bytes = answer.read(_MAX_BYTES + 1)
    if len(token) > _MAX_BYTES:
        raise BadTimestamp(problem=N_("the answer is too long"))
    return token


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: a password belongs to one host."""

    def redirect_request(self, *_: object) -> None:
        """Refuse the redirect."""


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def check_timestamp(token: bytes, data: bytes, root: bytes, *, nonce: int | None = None) -> CheckedTimestamp:
    """Check a timestamp of data and return its content. No network is needed.

    Args:
        token: a DER-encoded response.
        data: the data.
        root: the required root certificate, as PEM or DER.
        nonce: nonce of the request, if known.

    Raises:
        BadTimestamp: it is invalid, covers other data, does not lead to the root, or is encoded differently.
        ExtraMissing: rfc3161-client is not installed.
    """
    with importing_extra():
        from rfc3161_client import (  # noqa: PLC0415 - of an extra
            VerificationError,
            VerifierBuilder,
            decode_timestamp_response,
        )
    try:
        response = decode_timestamp_response(token)
        if response.as_bytes() != token:
            raise BadTimestamp(problem=N_("the token is not encoded as expected"))
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
        ValueError: the file contains none.
    """
    if root.lstrip().startswith(b"-----"):
        return x509.load_pem_x509_certificate(root)
    return x509.load_der_x509_certificate(root)


def root_fingerprint(certificate: x509.Certificate) -> str:
    """Return a certificate's SHA-256 in hexadecimal, as ``openssl x509 -fingerprint -sha256`` prints it."""
    return hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()
