"""Section ``[analysis]`` of the settings: results, and what people do with them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from storage.secrets import SecretReference
from storage.section import Section


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""


class NoticeSettings(Section):
    """Notices and how they are sent. Nothing is sent unless ``send`` is on, and a person confirms each."""

    attach_megabytes: Annotated[int, Field(ge=0, le=100)] = 10
    evidence_url: str = ""
    folder: Path = Path("notices")
    reply_days: Annotated[int, Field(ge=1, le=365)] = 7
    send: bool = False
    sender: str = ""
    smtp_ca_file: Path | None = None
    smtp_host: str = ""
    smtp_password: SecretReference = ""
    smtp_port: Annotated[int, Field(ge=1, le=65_535)] = 465
    smtp_security: Literal["tls", "starttls", "none"] = "tls"
    smtp_user: str = ""
    templates: Path | None = None
    timeout_s: Annotated[float, Field(ge=1, le=600)] = 60.0


class WatchSettings(Section):
    """The takedown watch."""


class AlertSettings(Section):
    """Rules, addressees and digests of alerts."""


class AnalysisSettings(Section):
    """How results are shown, and what follows from them."""

    alerts: AlertSettings = Field(default_factory=AlertSettings)
    evidence: EvidenceSettings = Field(default_factory=EvidenceSettings)
    language: Literal["zh", "en"] | None = None
    notices: NoticeSettings = Field(default_factory=NoticeSettings)
    report_dir: Path = Path("reports")
    watch: WatchSettings = Field(default_factory=WatchSettings)
