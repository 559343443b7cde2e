"""Section ``[analysis]`` of the settings: results, and what people do with them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from storage.alert_settings import AlertSettings
from storage.section import Section


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""


class NoticeSettings(Section):
    """Notices and how they are sent."""


class WatchSettings(Section):
    """The takedown watch.

    Attributes:
        batch: addresses that one task asks at most.
        confirm_s: seconds that must lie between two looks which make an address gone.
        enabled: ask by itself; `pindna watch now` asks in any case.
        lease_s: seconds after which an address that a killed process asked is asked again.
        schedule_h: hours from one look to the next; the last one repeats.
    """

    batch: Annotated[int, Field(ge=1, le=2_000)] = 200
    confirm_s: Annotated[float, Field(gt=0, le=7 * 86_400)] = 3_600.0
    enabled: bool = True
    lease_s: Annotated[float, Field(ge=1, le=86_400)] = 600.0
    schedule_h: Annotated[tuple[Annotated[float, Field(gt=0, le=24 * 31)], ...], Field(min_length=1)] = (
        1.0, 3.0, 6.0, 12.0, 24.0
    )  # fmt: skip


class AnalysisSettings(Section):
    """How results are shown, and what follows from them."""

    alerts: AlertSettings = Field(default_factory=AlertSettings)
    evidence: EvidenceSettings = Field(default_factory=EvidenceSettings)
    language: Literal["zh", "en"] | None = None
    notices: NoticeSettings = Field(default_factory=NoticeSettings)
    report_dir: Path = Path("reports")
    watch: WatchSettings = Field(default_factory=WatchSettings)
