"""The environment of a crawl: what courts ask about the machine that fetched a page.

Chinese standards for electronic evidence (SF/T 0076-2020, SF/T 0091-2021) require a check of the environment
before anything is recorded: the machine and its programs, its clock, how names are resolved, and what stands
between the machine and the site.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

EnvironmentFinding = Literal["clock", "hosts-file", "proxy", "resolvers-differ", "one-resolver", "unresolved"]
"""What a reader of the evidence must know about an environment.

``clock``: the machine's clock and the database's differ by more than :data:`CLOCK_TOLERANCE_S`.
``hosts-file``: the machine's hosts file names a host of the source.
``proxy``: the source is read through proxies.
``resolvers-differ``: two resolvers gave a host addresses of which none is the same, as is usual with
content delivery networks.
``one-resolver``: no second resolver was asked.
``unresolved``: a host had no address.
"""

ENVIRONMENT_FINDINGS: tuple[EnvironmentFinding, ...] = get_args(EnvironmentFinding)
CLOCK_TOLERANCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedHost:
    """The addresses of a host of the source when the crawl began, sorted.

    Attributes:
        system: by this machine's resolver.
        second: by the second resolver; empty also if none is configured.
    """

    host: str
    system: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSession:
    """One process of one crawl, and its environment. Each capture names its session.

    Attributes:
        at: when it began, by the clock of the database.
        machine: name of the machine.
        system: operating system, with its version.
        versions: name → version of everything that influences a result.
        clock_ahead_s: seconds by which the database's clock is ahead of the machine's; negative: behind.
        hosts: the hosts of the source's addresses.
        second_resolver: address of the second resolver; empty if none is configured.
        hosts_file_sha256: SHA-256 of the machine's hosts file, in hexadecimal; empty without one.
        hosts_file_lines: its lines that name a host of the source.
        proxies: ``host:port`` of each proxy of the source.
        is_rendering: pages may be rendered: by a browser whose profile is new for this crawl.
    """

    id: str
    scan_id: str
    source: str
    at: datetime
    machine: str
    system: str
    versions: dict[str, str] = field(default_factory=dict)
    clock_ahead_s: float = 0.0
    hosts: tuple[ResolvedHost, ...] = ()
    second_resolver: str = ""
    hosts_file_sha256: str = ""
    hosts_file_lines: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    is_rendering: bool = False

    @property
    def findings(self) -> tuple[EnvironmentFinding, ...]:
        """What a reader of the evidence must know, in the order of :data:`ENVIRONMENT_FINDINGS`."""
        is_true: dict[EnvironmentFinding, bool] = {
            "clock": abs(self.clock_ahead_s) > CLOCK_TOLERANCE_S,
            "hosts-file": bool(self.hosts_file_lines),
            "proxy": bool(self.proxies),
            "resolvers-differ": any(
                host.system and host.second and not {*host.system} & {*host.second} for host in self.hosts
            ),
            "one-resolver": not self.second_resolver,
            "unresolved": any(not host.system for host in self.hosts),
        }
        return tuple(finding for finding in ENVIRONMENT_FINDINGS if is_true[finding])
