"""Look up who answers for a site: its stored pages, DNS, and the registration of its domain and IP address.

Each step ends with a result: answered, or why there is no answer. A step that fails keeps the proposals of an
earlier look-up.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import idna

from analysis.reading.untrusted_pages import Readers
from analysis.sites.names import NamesAnswer, ask_names
from analysis.sites.proposing import Fact, proposal_of
from analysis.sites.rdap import RdapClient, RdapQuery
from analysis.sites.registration import facts_of_domain, facts_of_network
from analysis.sites.safe_get import NoAnswer
from analysis.sites.stored_pages import PagesAnswer, read_stored_pages
from analysis.words.known_sites import hosts_of
from crawler.addresses import is_private, literal_address
from storage.collections.stores import Stores
from storage.records import LOOKUP_STEPS, LookupResult, LookupState, LookupStep, Proposal, SiteLookup
from storage.settings import Settings
from storage.settings.results import LookupSettings
from system.messages import N_, NO_MESSAGE, Message
from system.sites import registrable_domain

_MAX_HOSTS = 3
_MAX_NAME_CHARS = 253
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_MAX_NETWORKS = 2
_KEPT: frozenset[LookupState] = frozenset({"off", "failed"})  # states that keep earlier proposals
_RDAP_OFF = N_("RDAP is off: set analysis.lookup.rdap_url or analysis.lookup.rdap_bootstrap")
_DNS_OFF = N_("DNS look-ups are off: set analysis.lookup.name_server")


@dataclass(slots=True)
class _Progress:
    """The results of a look-up so far."""

    at: datetime
    results: list[LookupResult] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    def close(self, step: LookupStep, state: LookupState, reason: Message = NO_MESSAGE) -> None:
        self.results.append(LookupResult(step=step, state=state, reason=reason, at=self.at))

    def add(self, step: LookupStep, facts: Iterable[Fact], source: str) -> None:
        """Add the facts of a server as proposals."""
        self.proposals += [proposal_of(step, fact, source=source, at=self.at) for fact in facts]

    def has(self, step: LookupStep) -> bool:
        """Return whether a step gave proposals."""
        return any(proposal.step == step for proposal in self.proposals)


def look_up(
    site: str, stores: Stores, settings: Settings, readers: Readers, *, by: str, at: datetime
) -> SiteLookup:
    """Return proposals of contacts for a site. Servers that the settings do not name are not asked.

    Args:
        site: the site.
        stores: the database.
        settings: limits, and the servers.
        readers: processes for untrusted pages.
        by: who requested it.
        at: the present time.

    Raises:
        Busy: no reader became free.
        ServiceDown, StorageFailed: the database refused.
    """
    progress, hosts = _Progress(at), hosts_of(site, stores)
    answer = read_stored_pages(hosts, stores, readers, at)
    progress.proposals += answer.proposals
    progress.close("pages", *_result_of_pages(answer))
    _ask_servers(progress, [site, *hosts], settings)
    kept = _kept(stores.site_lookups.find(site), progress.results)
    return SiteLookup(
        id=site,
        at=at,
        by=by,
        pages_read=answer.pages,
        results=tuple(progress.results),
        proposals=_in_order([*progress.proposals, *kept]),
    )


def _result_of_pages(answer: PagesAnswer) -> tuple[LookupState, Message]:
    """Return how the reading of stored pages ended."""
    if not answer.pages:
        return "empty", Message(N_("no page of the site is stored"))
    if not answer.proposals:
        problem = N_("none of the {pages} pages that were read contains a contact")
        return "empty", Message(problem, {"pages": answer.pages})
    return "answered", NO_MESSAGE


def _ask_servers(progress: _Progress, hosts: Sequence[str], settings: Settings) -> None:
    """Ask DNS and RDAP about the first host, which names the site."""
    bare = [_without_port(host) for host in hosts]
    address = literal_address(bare[0])
    rdap = RdapClient(settings.analysis.lookup, settings.crawler.allow_inner)
    if address is not None:
        for step in ("names", "domain"):
            progress.close(step, "not-asked", Message(N_("the site is an IP address, not a name")))
        _ask_networks(progress, rdap, [str(address)])
        return
    names = list(dict.fromkeys(filter(None, map(_ascii, bare))))[:_MAX_HOSTS]
    domain = registrable_domain(names[0]) if names else ""
    addresses = _ask_dns(progress, names, domain, settings.analysis.lookup)
    _ask_domain(progress, rdap, domain)
    _ask_networks(progress, rdap, addresses)


def _without_port(host: str) -> str:
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _ascii(host: str) -> str:
    """Return a host name as DNS contains it; empty if it is not a valid name."""
    try:
        name = host.lower() if host.isascii() else idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return ""
    return name if len(name) <= _MAX_NAME_CHARS and _NAME.fullmatch(name) else ""


def _ask_dns(
    progress: _Progress, names: Sequence[str], domain: str, settings: LookupSettings
) -> tuple[str, ...]:
    """Add what DNS contains, and return the addresses of the site."""
    if not settings.name_server:
        progress.close("names", "off", Message(_DNS_OFF))
        return ()
    if not names:
        progress.close("names", "not-asked", Message(N_("the name of the site is not valid")))
        return ()
    answer: NamesAnswer = ask_names(names, domain, settings)
    progress.add("names", answer.facts, "DNS")
    if answer.problem is not None:
        progress.close("names", "failed" if not answer.facts else "answered", answer.problem)
    else:
        progress.close("names", "answered")
    return answer.addresses


def _ask_domain(progress: _Progress, rdap: RdapClient, domain: str) -> None:
    """Add the registration of a domain."""
    if not rdap.is_on:
        progress.close("domain", "off", Message(_RDAP_OFF))
    elif not domain:
        progress.close("domain", "not-asked", Message(N_("the site has no registered domain")))
    else:
        _ask_rdap(progress, rdap, "domain", [domain])


def _ask_networks(progress: _Progress, rdap: RdapClient, addresses: Sequence[str]) -> None:
    """Add the registration of the networks of IP addresses."""
    public = [text for text in addresses if not is_private(ipaddress.ip_address(text))]
    if not rdap.is_on:
        progress.close("network", "off", Message(_RDAP_OFF))
    elif public:
        _ask_rdap(progress, rdap, "network", public[:_MAX_NETWORKS])
    elif addresses:
        progress.close("network", "not-asked", Message(N_("the IP address of the site is private")))
    else:
        progress.close("network", "not-asked", Message(N_("no IP address of the site is known")))


def _ask_rdap(progress: _Progress, rdap: RdapClient, step: LookupStep, names: Iterable[str]) -> None:
    """Add the answers about some domains or addresses, and close the step."""
    query: RdapQuery = "domain" if step == "domain" else "ip"
    problem: NoAnswer | None = None
    for name in names:
        try:
            document, source = rdap.ask(query, name)
        except NoAnswer as error:
            problem = problem or error
            continue
        facts = facts_of_domain(document) if step == "domain" else facts_of_network(document)
        progress.add(step, facts, source)
    if progress.has(step):
        progress.close(step, "answered")
    elif problem is not None:
        progress.close(step, "empty" if problem.is_unknown else "failed", problem.reason)
    else:
        progress.close(step, "empty", Message(N_("the RDAP server names no contact")))


def _kept(before: SiteLookup | None, results: Iterable[LookupResult]) -> list[Proposal]:
    """Return the earlier proposals of the steps that gave no answer now."""
    steps = {result.step for result in results if result.state in _KEPT}
    return [proposal for proposal in before.proposals if proposal.step in steps] if before else []


def _in_order(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Return distinct proposals by step."""
    distinct: dict[str, Proposal] = {}
    for proposal in proposals:
        distinct.setdefault(proposal.id, proposal)
    return tuple(sorted(distinct.values(), key=lambda proposal: LOOKUP_STEPS.index(proposal.step)))
