"""Mail and chat: alerts for people, through apprise.

An addressee is one service of https://github.com/caronc/apprise/wiki. Redirects are not followed, nothing is
kept on disk, and what the library logs, which may hold parts of an address, goes nowhere.
"""

import logging
from collections.abc import Iterator
from contextlib import closing

from apprise import Apprise, AppriseAsset, NotifyFormat
from apprise.plugins.base import NotifyBase
from apprise.result import AppriseResult

from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.robots import put, robot_of
from analysis.alerts.wording import AlertText
from analysis.words.i18n import N_
from system.errors import one_line
from system.messages import Message
from system.secrets import masked

MAX_BYTES = 8000  # of a message, where the service allows as many
_TIMEOUT_S = 45.0
_ID_HEADER = "X-Pindna-Alert"

logging.getLogger("apprise").propagate = False


class _Asset(AppriseAsset):
    """How pindna shows itself to services."""

    app_id = "pindna"
    app_desc = "pindna"
    app_url = ""
    http_redirects = False


def service_of(address: str) -> NotifyBase:
    """Return the service that an address of apprise names.

    Raises:
        NotDelivered: there is none, or the address lacks something.
    """
    service = Apprise.instantiate(address, asset=_Asset(storage_mode="memory", service_timeout=_TIMEOUT_S))
    if service is None:
        problem = N_("the address is none that apprise knows: see https://github.com/caronc/apprise/wiki")
        raise NotDelivered(problem=Message(problem))
    service.redirects = False  # whatever its address says
    return service


def room_of(service: NotifyBase) -> int:
    """Return how many bytes a message to a service may have, so that it is one message."""
    return min(MAX_BYTES, int(service.body_maxlen))


def send(service: NotifyBase, address: str, text: AlertText, mailing_id: str) -> str:
    """Send a text.

    Args:
        service: see :func:`service_of`.
        address: its address, for masking it in what the service says.
        text: to send, as plain text.
        mailing_id: sent as a header too, where the service has headers of its own.

    Returns:
        What came back, in a few words.

    Raises:
        NotDelivered: it was not taken; the error holds nothing of the address.
    """
    robot = robot_of(service, text)
    if robot is not None:
        return put(robot, address)
    headers = getattr(service, "headers", None)
    if isinstance(headers, dict):  # mail, and plain HTTP
        headers[_ID_HEADER] = mailing_id
    library = Apprise(asset=service.asset)
    library.add(service)
    with closing(
        library.notify(title=text.title, body=text.body, body_format=NotifyFormat.TEXT, timeout=_TIMEOUT_S)
    ) as result:
        if result:
            return str(service.service_name)
        complaint = next(_complaints(result), "")
    if not complaint:
        raise NotDelivered(problem=Message(N_("the service did not take it")))
    problem = Message("{said}", {"said": one_line(masked(complaint, [address])).rstrip(".")})
    raise NotDelivered(problem=problem)


def _complaints(result: AppriseResult) -> Iterator[str]:
    """Yield what the library said went wrong."""
    for entry in result.logs():
        if entry.level in {"WARNING", "ERROR", "CRITICAL"}:
            yield entry.message
