"""Metrics as Prometheus would read them."""

import socket
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from prometheus_client.parser import text_string_to_metric_families
from support.waiting import wait_until

Labels = frozenset[tuple[str, str]]


def scrape(address: str, token: str = "") -> str:
    """Return what a process answers at ``/metrics``, once it listens."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    place = urlsplit(address)
    wait_until(lambda: _listens(place.hostname, place.port))
    with urlopen(Request(f"{address}/metrics", headers=headers), timeout=10) as answer:  # noqa: S310 - ours
        assert answer.headers["content-type"].startswith("text/plain; version=")
        return answer.read().decode()


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def samples(text: str) -> dict[tuple[str, Labels], float]:
    """Return the value of each time series, by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    """Return the value of one time series."""
    return samples(text)[name, frozenset(labels.items())]


def names(text: str) -> set[str]:
    """Return the names of all metrics that a process tells, also those that have no value now."""
    return {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in text_string_to_metric_families(text)
    }
