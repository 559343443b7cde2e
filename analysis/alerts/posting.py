"""What requests to services have in common: their limits of time, and why one failed, without its address."""

import requests

from analysis.i18n import N_

TIMEOUT_S = (5.0, 15.0)  # to connect; between two bytes of the answer


def problem_of(error: requests.RequestException) -> str:
    """Return why a request failed, a text of ours: the library's own words may hold the address."""
    if isinstance(error, requests.exceptions.SSLError):
        return N_("its certificate is not trusted")
    if isinstance(error, requests.Timeout):
        return N_("no answer came in time")
    if isinstance(error, requests.ConnectionError):
        return N_("it cannot be reached")
    return N_("the address cannot be used")
