"""Section ``[analysis]`` of the settings: results, and what people do with them."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from storage.alert_settings import AlertSettings
from storage.section import Section


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""


class NoticeSettings(Section):
    """Notices and how they are sent."""


class WatchSettings(Section):
    """The takedown watch."""


class AnalysisSettings(Section):
    """How results are shown, and what follows from them."""

    alerts: AlertSettings = Field(default_factory=AlertSettings)
    evidence: EvidenceSettings = Field(default_factory=EvidenceSettings)
    language: Literal["zh", "en"] | None = None
    notices: NoticeSettings = Field(default_factory=NoticeSettings)
    report_dir: Path = Path("reports")
    watch: WatchSettings = Field(default_factory=WatchSettings)
