"""Send alerts to users by mail and chat, through apprise.

An addressee is a service of https://github.com/caronc/apprise/wiki. Redirects are not followed and nothing is
stored on disk. The library's log is discarded because it may contain parts of an address.
"""

import logging
from collections.abc import Iterator
from contextlib import closing

from apprise import Apprise, AppriseAsset, NotifyFormat
from apprise.plugins.base import NotifyBase
from apprise.result import AppriseResult

from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.robots import post_to_robot, robot_of
from analysis.alerts.wording import AlertText
from analysis.words.i18n import N_
from system.errors import one_line
from system.messages import Message
from system.secrets import mask_secrets

MAX_BYTES = 8000  # maximum size of a message, unless the service has a lower limit
_TIMEOUT_S = 45.0
_ID_HEADER = "X-Pindna-Alert"

logging.getLogger("apprise").propagate = False


class _Asset(AppriseAsset):
    """The identity of pindna towards services."""

    app_id = "pindna"
    app_desc = "pindna"
    app_url = ""
    http_redirects = False


def service_of(address: str) -> NotifyBase:
    """Return the service of an apprise address.

    Raises:
        NotDelivered: the address is invalid or incomplete.
    """
    service = Apprise.instantiate(address, asset=_Asset(storage_mode="memory", service_timeout=_TIMEOUT_S))
    if service is None:
        problem = N_("apprise does not support the address; see https://github.com/caronc/apprise/wiki")
        raise NotDelivered(problem=Message(problem))
    service.redirects = False  # ignore an address option that allows redirects
    return service


def max_bytes_of(service: NotifyBase) -> int:
    """Return the bytes that a single message to a service may have."""
    return min(MAX_BYTES, int(service.body_maxlen))


def send(service: NotifyBase, address: str, text: AlertText, mailing_id: str) -> str:
    """Send a text and return a short answer.

    Args:
        service: the result of :func:`service_of`.
        address: its address, to mask it in the answer.
        text: the plain text.
        mailing_id: also sent as a header if the service supports headers.

    Returns:
        A short answer.

    Raises:
        NotDelivered: the service did not accept it; the error does not contain the address.
    """
    robot = robot_of(service, text)
    if robot is not None:
        return post_to_robot(robot, address)
    headers = getattr(service, "headers", None)
    if isinstance(headers, dict):  # only mail and plain HTTP have headers
        headers[_ID_HEADER] = mailing_id
    library = Apprise(asset=service.asset)
    library.add(service)
    with closing(
        library.notify(title=text.title, body=text.body, body_format=NotifyFormat.TEXT, timeout=_TIMEOUT_S)
    ) as result:
        if result:
            return str(service.service_name)
        complaint = next(_library_errors(result), "")
    if not complaint:
        raise NotDelivered(problem=Message(N_("the service did not accept it")))
    problem = Message("{said}", {"said": one_line(mask_secrets(complaint, [address])).rstrip(".")})
    raise NotDelivered(problem=problem)


def _library_errors(result: AppriseResult) -> Iterator[str]:
    """Yield the errors that the library reported."""
    for entry in result.logs():
        if entry.level in {"WARNING", "ERROR", "CRITICAL"}:
            yield entry.message
