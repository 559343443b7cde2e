"""Section ``[analysis]`` of the settings: results, and what people do with them."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from storage.secrets import SecretReference
from storage.section import Section


class TimestampAuthority(Section):
    """An authority that timestamps by RFC 3161."""

    url: str
    root: Path
    user: str = ""
    password: SecretReference = ""

    @field_validator("url")
    @classmethod
    def _is_http(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise ValueError("write http:// or https:// and a host; user and password have keys of their own")
        return value


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""

    authorities: tuple[TimestampAuthority, ...] = ()
    authority_timeout_s: Annotated[float, Field(gt=0, le=300)] = 20.0
    key_file: Path | None = None


class NoticeSettings(Section):
    """Notices and how they are sent."""


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
