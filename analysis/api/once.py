"""Idempotency keys: a request with a key is carried out once, even if a program sends it several times."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel

from analysis.accounts.permissions import Identity
from analysis.api.problems import IdempotencyKeyReused, RequestInProgress
from analysis.api.services import ApiServices, CallerIdentity, Services
from storage.collections.requests import IdempotentRequest
from storage.records import utc_now

_LEASE = timedelta(minutes=10)  # after this time, a request counts as interrupted
_KEPT = timedelta(days=1)


def _key(
    key: Annotated[
        str,
        Header(
            alias="Idempotency-Key",
            min_length=8,
            max_length=200,
            pattern=r"^[\x21-\x7e]+$",
            description="A new random text for each thing that is to be done. Sent again with the same body, "
            "within a day, it gives the answer of the first time, and nothing is done twice.",
        ),
    ],
) -> str:
    return key


@dataclass(frozen=True, slots=True)
class Once:
    """A request with a key.

    Attributes:
        services: services with the store of responses.
        identity: the caller; two accounts may use the same key.
        what: method and path of the request.
        key: the key as it was sent.
    """

    services: Services
    identity: Identity
    what: str
    key: str

    def answer(
        self, body: BaseModel, act: Callable[[], BaseModel], *, status: HTTPStatus = HTTPStatus.CREATED
    ) -> Response:
        """Return the response of an earlier request with the key; otherwise carry out the request.

        Args:
            body: body of the request.
            act: function that carries out the request. If it raises an error, the key is not used up.
            status: status of the response.

        Raises:
            IdempotencyKeyReused: the key was used with another body.
            RequestInProgress: an earlier request with the key is still running.
        """
        now, requests = utc_now(), self.services.stores.requests
        request_record = IdempotentRequest(
            id=_digest(f"{self.identity.account.name}\0{self.what}\0{self.key}"),
            digest=_digest(body.model_dump_json()),
            until=now + _LEASE,
            ends=now + _KEPT,
        )
        previous = requests.begin(request_record, now=now)
        if previous is not None:
            return _response_to_repeat(previous, request_record)
        try:
            answer = act()
        except BaseException:
            requests.release(request_record.id)
            raise
        content = answer.model_dump_json()
        requests.finish(request_record.id, status=status, content=content, now=utc_now(), keep=_KEPT)
        return Response(content, status, media_type="application/json")


def _once(
    request: Request, identity: CallerIdentity, services: ApiServices, key: Annotated[str, Depends(_key)]
) -> Once:
    return Once(services, identity, f"{request.method} {request.url.path}", key)


Idempotency = Annotated[Once, Depends(_once)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _response_to_repeat(previous: IdempotentRequest, request_record: IdempotentRequest) -> Response:
    if previous.digest != request_record.digest:
        raise IdempotencyKeyReused
    if not previous.status:
        raise RequestInProgress
    headers = {"Idempotency-Replayed": "true"}
    return Response(previous.content, previous.status, headers, media_type="application/json")
