"""Section ``[analysis]`` of the settings: results of scans, and actions on these results."""

import re
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from storage.settings.alerts import AlertSettings
from storage.settings.section import Editable, Section, Shown
from system.messages import N_
from system.secrets import SecretReference
from system.urls import ip_and_port

SYSTEM_RESOLVER = "system"  # value of analysis.lookup.name_server: as this machine resolves names
_PEM = "-----BEGIN CERTIFICATE-----"
_MAX_PEM_CHARS = 20_000

# Names of this machine itself; no other machine can read traffic to these names.
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class TimestampAuthority(Section):
    """An RFC 3161 timestamp authority."""

    url: Annotated[
        str, Shown(label=N_("Address of the authority"), hint=N_("Begins with http:// or https://."))
    ]
    root: Annotated[Path | None, Shown(label=N_("Root certificate: a file on every server"))] = None
    root_pem: Annotated[
        str, Shown(label=N_("Root certificate: its text (PEM), instead of a file"), is_long=True)
    ] = ""
    user: Annotated[str, Shown(label=N_("User name, if the authority asks for one"))] = ""
    password: Annotated[SecretReference, Shown(label=N_("Password"))] = ""

    @field_validator("url")
    @classmethod
    def _is_http(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise ValueError(
                N_("enter http:// or https:// and a host; user and password are separate settings")
            )
        return value

    @field_validator("root_pem")
    @classmethod
    def _is_certificate(cls, value: str) -> str:
        if value.strip() and not (value.lstrip().startswith(_PEM) and len(value) <= _MAX_PEM_CHARS):
            raise ValueError(N_("it is not a certificate in PEM form"))
        return value.strip()

    @model_validator(mode="after")
    def _has_root(self) -> Self:
        if (self.root is None) == (not self.root_pem):
            raise ValueError(N_("an authority needs its root certificate: a file or its text, not both"))
        return self


class RootWitness(Section):
    """A witness outside of the installation that receives each daily root: a program, or a webhook."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    command: tuple[str, ...] = ()
    url: str = ""
    secret: SecretReference = ""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError(N_("a witness needs either command or url"))
        if self.url and urlsplit(self.url).scheme not in {"http", "https"}:
            raise ValueError(N_("the url of a witness must begin with https:// or http://"))
        return self


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""

    authorities: Annotated[
        tuple[TimestampAuthority, ...], Editable(label=N_("Timestamp authorities (TSA)"), group="timestamps")
    ] = ()
    authority_timeout_s: Annotated[
        float,
        Field(gt=0, le=300),
        Editable(label=N_("Seconds until an authority counts as silent"), group="timestamps"),
    ] = 20.0
    folder: Path = Path("evidence")
    key_file: Path | None = None
    witnesses: tuple[RootWitness, ...] = ()


class CaseSettings(Section):
    """Deadlines of cases, and traffic ranks of sites.

    The settings of notices contain the number of days that a site has for its reply.

    Attributes:
        decision_days: until a new case must be decided; 0 (also below): no deadline.
        notice_days: until a notice must be sent, after a case is confirmed or returns.
        removal_days: until the site must remove what it promised to remove.
        follow_up_days: until the next step, after a refusal, no reply or remaining copies.
        traffic_ranks: rank of a site among the busiest, 1 the first: part of a case's priority.
    """

    decision_days: int = Field(default=7, ge=0, le=3650)
    notice_days: int = Field(default=3, ge=0, le=3650)
    removal_days: int = Field(default=3, ge=0, le=3650)
    follow_up_days: int = Field(default=7, ge=0, le=3650)
    traffic_ranks: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)


class LookupSettings(Section):
    """Servers that `pindna site lookup` asks about a site. Without them it only reads stored pages.

    Attributes:
        name_server: IP address of the name server, or `system` for this machine's.
        rdap_bootstrap: folder with IANA's files `dns.json`, `ipv4.json` and `ipv6.json`.
        rdap_url: base address of one RDAP server for all questions; overrides `rdap_bootstrap`.
        timeout_s: limit for each question.
    """

    name_server: str = ""
    rdap_bootstrap: Path | None = None
    rdap_url: str = ""
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10.0

    @field_validator("name_server")
    @classmethod
    def _is_name_server(cls, value: str) -> str:
        if value not in {"", SYSTEM_RESOLVER}:
            try:
                ip_and_port(value, port=53)
            except ValueError as error:
                raise ValueError(
                    N_("enter the IP address of a name server, such as 9.9.9.9, or system")
                ) from error
        return value

    @field_validator("rdap_url")
    @classmethod
    def _is_base(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc):
            raise ValueError(N_("enter http:// or https:// and a host, such as https://rdap.example/"))
        return value


class NoticeSettings(Section):
    """Notices. A notice is sent only if ``send`` is on and a person confirms it.

    Attributes:
        addresses_in_letter: more addresses are put into an attached workbook.
        addresses_per_letter: more addresses are split into several letters.
    """

    addresses_in_letter: Annotated[int, Field(ge=0, le=1_000)] = 100
    addresses_per_letter: Annotated[int, Field(ge=1, le=1_000)] = 1_000
    attach_megabytes: Annotated[int, Field(ge=0, le=100)] = 10
    evidence_url: str = ""
    folder: Path = Path("notices")
    forms: Path | None = None
    smtp_host: Annotated[
        str, Editable(label=N_("Mail server"), hint=N_("Such as smtp.example.cn."), group="mail")
    ] = ""
    smtp_port: Annotated[
        int, Field(ge=1, le=65_535), Editable(label=N_("Port of the mail server"), group="mail")
    ] = 465
    smtp_security: Annotated[
        Literal["tls", "starttls", "none"], Editable(label=N_("Encryption to the mail server"), group="mail")
    ] = "tls"
    smtp_user: Annotated[
        str, Editable(label=N_("User name at the mail server"), hint=N_("Empty: no login."), group="mail")
    ] = ""
    smtp_password: Annotated[
        SecretReference, Editable(label=N_("Password at the mail server"), group="mail")
    ] = ""
    smtp_ca_file: Path | None = None
    sender: Annotated[
        str,
        Editable(
            label=N_("Sender of the mails"), hint=N_("Empty: the address of the rights holder."), group="mail"
        ),
    ] = ""
    send: Annotated[
        bool,
        Editable(
            label=N_("Notices may be sent by mail"), hint=N_("A person confirms each notice."), group="mail"
        ),
    ] = False
    reply_days: Annotated[
        int, Field(ge=1, le=365), Editable(label=N_("Days that a notice gives for a reply"), group="mail")
    ] = 7
    templates: Path | None = None
    timeout_s: Annotated[float, Field(ge=1, le=600)] = 60.0


class WatchSettings(Section):
    """The takedown watch.

    Attributes:
        batch: maximum addresses in one round.
        confirm_s: minimum seconds between the two looks that prove an absence.
        enabled: check on schedule; `pindna watch now` always checks.
        lease_s: seconds after which the address of a killed process is checked again.
        schedule_h: hours from one look to the next; the last one repeats.
    """

    batch: Annotated[int, Field(ge=1, le=2_000)] = 100
    confirm_s: Annotated[float, Field(gt=0, le=7 * 86_400)] = 3_600.0
    enabled: bool = True
    lease_s: Annotated[float, Field(ge=1, le=86_400)] = 600.0
    schedule_h: Annotated[tuple[Annotated[float, Field(gt=0, le=24 * 31)], ...], Field(min_length=1)] = (
        1.0, 3.0, 6.0, 12.0, 24.0
    )  # fmt: skip


class ServerSettings(Section):
    """`pindna serve`: where it listens, and how long sessions last.

    Attributes:
        host, port: the listening address. Addresses other than this machine's need a certificate, or a
            trusted proxy with one.
        certificate, key: PEM files of a certificate with its chain, and of its private key.
        idle_minutes: after which an unused session ends.
        one_time_key_file: keys that encrypt the secrets of one-time passwords; created at first use.
        public_url: the public address, if a proxy is in front.
        requests_per_minute: limit for one token or one session.
        require_one_time_passwords: users without one can only enrol a device.
        security_contact: address for reports of vulnerabilities, shown in ``/.well-known/security.txt``.
        session_hours: after which any session ends.
        token_days: maximum lifetime of a token.
        trusted_proxies: IP addresses of proxies whose client addresses are trusted.
        upload_megabytes: of one request.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 8686
    certificate: Path | None = None
    idle_minutes: Annotated[int, Field(ge=1, le=24 * 60)] = 30  # OWASP ASVS 4.0.3, 3.3.2, level 2
    key: Path | None = None
    one_time_key_file: Path | None = None
    public_url: str = ""
    requests_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 600
    require_one_time_passwords: bool = False
    security_contact: str = ""
    session_hours: Annotated[int, Field(ge=1, le=24 * 30)] = 12
    token_days: Annotated[int, Field(ge=1, le=3650)] = 365
    trusted_proxies: tuple[IPv4Address | IPv6Address, ...] = ()
    upload_megabytes: Annotated[int, Field(ge=1, le=1_000)] = 64

    @field_validator("security_contact")
    @classmethod
    def _is_contact(cls, value: str) -> str:
        if value and not re.fullmatch(r"(?:mailto:[^\s@]+@|https://|tel:\+)[!-~]+", value):
            raise ValueError(N_("enter mailto: and an address, or an address that begins with https://"))
        return value

    @property
    def address(self) -> str:
        """The address for users."""
        if self.public_url:
            return self.public_url
        scheme = "https" if self.certificate else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"


class AnalysisSettings(Section):
    """How results are shown, and which actions follow from them."""

    alerts: AlertSettings = Field(default_factory=AlertSettings)
    cases: CaseSettings = Field(default_factory=CaseSettings)
    evidence: EvidenceSettings = Field(default_factory=EvidenceSettings)
    language: Literal["zh", "en"] | None = None
    lookup: LookupSettings = Field(default_factory=LookupSettings)
    notices: NoticeSettings = Field(default_factory=NoticeSettings)
    report_dir: Path = Path("reports")
    server: ServerSettings = Field(default_factory=ServerSettings)
    terminal_role: Literal["analyst", "operator", "administrator"] = "administrator"
    watch: WatchSettings = Field(default_factory=WatchSettings)
