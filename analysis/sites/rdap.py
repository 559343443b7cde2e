"""Ask RDAP servers who registered a domain, and to whom an IP address belongs.

RDAP is the successor of WHOIS. The server of a domain or address is the configured one, or the one that
IANA's bootstrap files list for it.

Sources: RFC 9082 (queries), RFC 9083 (answers), RFC 9224 (bootstrap files).
"""

import ipaddress
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from analysis.sites.safe_get import NoAnswer, get_json
from crawler.addresses import is_web
from crawler.download.private_allowlist import host_port_of, is_listed
from storage.settings.results import LookupSettings
from system.errors import PindnaError
from system.local_files import read_file
from system.messages import N_

RdapQuery = Literal["domain", "ip"]
_MAX_FILE_BYTES = 5 * 1024 * 1024


class RdapClient:
    """Asks the RDAP server that answers for a domain or an IP address.

    Args:
        settings: addresses of servers, or a folder with IANA's files.
        allow_inner: ``crawler.allow_inner``: private hosts that may be asked if the settings name them.
    """

    def __init__(self, settings: LookupSettings, allow_inner: Sequence[str]) -> None:
        self._settings = settings
        self._allow_inner = allow_inner

    @property
    def is_on(self) -> bool:
        """Whether the settings name a server or a folder."""
        return bool(self._settings.rdap_url or self._settings.rdap_bootstrap)

    def ask(self, query: RdapQuery, name: str) -> tuple[object, str]:
        """Return the answer about a domain or an IP address, and the address of the server.

        Raises:
            NoAnswer: there is no usable answer.
        """
        base = self._settings.rdap_url or self._listed_server(query, name)
        private = host_port_of(base) if is_listed(base, self._allow_inner) else None
        url = f"{base.rstrip('/')}/{query}/{name}"
        answer = get_json(url, private=private, timeout_s=self._settings.timeout_s)
        return answer.document, answer.url

    def _listed_server(self, query: RdapQuery, name: str) -> str:
        """Return the server in IANA's file.

        Raises:
            NoAnswer: the file cannot be used, or lists no server.
        """
        folder = self._settings.rdap_bootstrap or Path()
        if query == "domain":
            base = server_of_domain(_services(folder / "dns.json"), name)
            shown = "." + name.rpartition(".")[2]
        else:
            version = ipaddress.ip_address(name).version
            base, shown = server_of_address(_services(folder / f"ipv{version}.json"), name), name
        if not base:
            raise NoAnswer(N_("no RDAP server is listed for {name}"), is_unknown=True, name=shown)
        return base


Services = Sequence[tuple[Sequence[str], Sequence[str]]]


def _services(path: Path) -> Services:
    """Return the services of a bootstrap file: what each answers for, and its addresses.

    Raises:
        NoAnswer: the file cannot be used.
    """
    try:
        document = json.loads(read_file(path, max_bytes=_MAX_FILE_BYTES))
        return [(strings(service[0]), strings(service[1])) for service in document["services"]]
    except (PindnaError, OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoAnswer(
            N_("the file {path} is missing or is not a bootstrap file of IANA"), path=path.name
        ) from error


def server_of_domain(services: Services, name: str) -> str:
    """Return the address of the service with the longest suffix of a name; empty if there is none.

    >>> server_of_domain([(["cn"], ["https://a.example/"]), (["com.cn"], ["https://b.example/"])], "x.com.cn")
    'https://b.example/'
    """
    labels = name.lower().split(".")
    listed = {entry.lower().strip("."): urls for entries, urls in services for entry in entries}
    for start in range(len(labels)):
        if urls := listed.get(".".join(labels[start:])):
            return _preferred(urls)
    return ""


def server_of_address(services: Services, text: str) -> str:
    """Return the address of the service with the smallest network around an IP address; empty: none.

    >>> server_of_address([(["1.0.0.0/8"], ["http://a.example/", "https://a.example/"])], "1.2.3.4")
    'https://a.example/'
    """
    address = ipaddress.ip_address(text)
    networks = ((_network(entry), urls) for entries, urls in services for entry in entries)
    around = [(network.prefixlen, urls) for network, urls in networks if network and address in network]
    return _preferred(max(around)[1]) if around else ""


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _preferred(urls: Sequence[str]) -> str:
    """Return the first https address, else the first one."""
    usable = [url for url in urls if is_web(url)]
    return next((url for url in usable if url.startswith("https:")), usable[0] if usable else "")


def strings(value: object) -> list[str]:
    """Return the texts in a value of a strange document; none if it is not a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def mappings(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects in a value of a strange document; none if it is not a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
