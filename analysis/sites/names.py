"""Ask a name server about a site: addresses, aliases, name servers and mail servers; recognise CDNs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dns.exception import DNSException, Timeout
from dns.name import Name
from dns.rdatatype import RdataType
from dns.resolver import NXDOMAIN, NoAnswer, NoNameservers, NoResolverConfiguration, Resolver

from analysis.sites.cdns import cdn_of_address, cdn_of_name
from analysis.sites.proposing import Fact
from storage.records import ProposalKind
from storage.settings.results import SYSTEM_RESOLVER, LookupSettings
from system.messages import N_, Message
from system.urls import ip_and_port

_DNS_PORT = 53
_MAX_RECORDS = 12  # of one type
_OF_DOMAIN: tuple[tuple[RdataType, ProposalKind], ...] = (
    (RdataType.NS, "name-server"),
    (RdataType.MX, "mail-server"),
)


@dataclass(frozen=True, slots=True)
class NamesAnswer:
    """The answers about a site.

    Attributes:
        addresses: IP addresses of the site.
        problem: why the most important question, for the address, has no answer; None: it has one.
    """

    facts: tuple[Fact, ...]
    addresses: tuple[str, ...]
    problem: Message | None = None


def ask_names(hosts: Sequence[str], domain: str, settings: LookupSettings) -> NamesAnswer:
    """Return what DNS contains about the hosts of a site and about its registered domain.

    Args:
        hosts: in ASCII; the later ones are asked only if the earlier ones have no address.
        domain: in ASCII; empty: only the hosts.
        settings: the name server, and the limit for each question.
    """
    session = _Session(settings)
    names = [*hosts, domain, f"www.{domain}"] if domain else hosts
    addresses, facts = _addresses(session, dict.fromkeys(names))
    for kind, fact_kind in _OF_DOMAIN if domain else ():
        values = session.records(domain, kind).values
        facts += [Fact("site", fact_kind, value, f"{domain} {kind.name} {value}") for value in values]
    facts += _cdns(facts)
    problem = session.problem if not addresses else None
    return NamesAnswer(tuple(dict.fromkeys(facts)), addresses, problem)


def _addresses(session: "_Session", names: Iterable[str]) -> tuple[tuple[str, ...], list[Fact]]:
    """Return the IP addresses of the first name that has some, and the facts of the names up to it."""
    addresses: list[str] = []
    facts: list[Fact] = []
    for name in names:
        for kind in (RdataType.A, RdataType.AAAA):
            records = session.records(name, kind)
            addresses += records.values
            facts += [Fact("host", "alias", alias, f"{name} CNAME {alias}") for alias in records.aliases]
            facts += [Fact("host", "ip", text, f"{name} {kind.name} {text}") for text in records.values]
        if addresses:
            break
    return tuple(dict.fromkeys(addresses)), facts


def _cdns(facts: list[Fact]) -> list[Fact]:
    """Return the CDNs to which the names and addresses of other facts belong."""
    cdns = []
    for fact in facts:
        if fact.kind in {"alias", "name-server"} and (cdn := cdn_of_name(fact.value)):
            cdns.append(Fact("host", "cdn", cdn, fact.words))
        if fact.kind == "ip" and (cdn := cdn_of_address(fact.value)):
            cdns.append(Fact("host", "cdn", cdn, fact.words))
    return list({fact.value: fact for fact in reversed(cdns)}.values())


@dataclass(frozen=True, slots=True)
class _Records:
    values: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class _Session:
    """Questions to one name server; after a time-out it is not asked again."""

    def __init__(self, settings: LookupSettings) -> None:
        self.problem: Message | None = None
        self._is_silent = False
        self._resolver = Resolver(configure=False)
        self._resolver.lifetime = settings.timeout_s
        if settings.name_server != SYSTEM_RESOLVER:
            host, port = ip_and_port(settings.name_server, port=_DNS_PORT)
            self._resolver.nameservers, self._resolver.port = [host], port
            return
        try:
            self._resolver.read_resolv_conf("/etc/resolv.conf")
        except NoResolverConfiguration:
            self._is_silent = True
            self._note(Message(N_("this machine has no name server")))

    def records(self, name: str, kind: RdataType) -> _Records:
        """Return the records of a name; none if the server has or gives none."""
        if self._is_silent:
            return _Records()
        try:
            answer = self._resolver.resolve(name, kind, search=False)
        except NoAnswer as error:
            self._note(Message(N_("DNS has no address of {name}"), {"name": name}))
            return _Records((), _aliases(error.kwargs.get("response")))
        except (DNSException, OSError, ValueError) as error:
            self._is_silent = isinstance(error, Timeout)
            self._note(_problem_of(error, name))
            return _Records()
        values = tuple(sorted({_shown(record) for record in answer})[:_MAX_RECORDS])
        return _Records(values, _aliases(answer.response))

    def _note(self, problem: Message) -> None:
        self.problem = self.problem or problem


def _problem_of(error: Exception, name: str) -> Message:
    if isinstance(error, NXDOMAIN):
        return Message(N_("the name {name} does not exist in DNS"), {"name": name})
    if isinstance(error, Timeout):
        return Message(N_("the name server did not answer in time"))
    if isinstance(error, NoNameservers):
        return Message(N_("the name server refused the question about {name}"), {"name": name})
    return Message(N_("the name server gave no usable answer about {name}"), {"name": name})


def _aliases(response: object) -> tuple[str, ...]:
    """Return the targets of the CNAME records in a response."""
    sections = getattr(response, "answer", ())
    targets = [record.target for rrset in sections for record in rrset if rrset.rdtype == RdataType.CNAME]
    return tuple(dict.fromkeys(_name(target) for target in targets))[:_MAX_RECORDS]


def _shown(record: object) -> str:
    target = getattr(record, "target", None) or getattr(record, "exchange", None)
    return _name(target) if isinstance(target, Name) else str(getattr(record, "address", record))


def _name(name: Name) -> str:
    return name.to_text(omit_final_dot=True).lower()
