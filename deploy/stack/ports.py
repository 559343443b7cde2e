"""Free loopback ports for the servers, outside the range from which the system takes ports itself.

The system may assign a port of that range to any outgoing connection. A program that waits for a server on
such a port could even be connected to itself.
"""

import random
import socket
from collections.abc import Collection

from deploy.stack.errors import PortTaken
from deploy.stack.probes import HOST
from system.messages import N_

_RANGE = range(20000, 32768)
_ATTEMPTS = 200


def is_free(port: int) -> bool:
    """Return whether a server could listen on the port now."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError:
            return False
        return True


def choose(title: str, *, but: Collection[int] = ()) -> int:
    """Return a free port.

    Args:
        title: the service that wants it, for the error.
        but: ports not to choose.

    Raises:
        PortTaken: none was found.
    """
    for port in random.sample(_RANGE, _ATTEMPTS):
        if port not in but and is_free(port):
            return port
    raise PortTaken(service=title, port=f"{_RANGE.start}-{_RANGE.stop - 1}", holder=N_("other programs"))
