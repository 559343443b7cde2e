"""Results of a benchmark run: tables on the console, JSON and Markdown in a folder."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return the table in Markdown, under a heading."""
        rule = ["---", *("---:" for _ in self.head[1:])]
        lines = ("| " + " | ".join(row) + " |" for row in (self.head, rule, *self.rows))
        return f"### {self.title}\n\n" + "\n".join(lines) + "\n"

    def rich(self) -> RichTable:
        """Return the table for the terminal."""
        table = RichTable(title=self.title, title_justify="left")
        for number, name in enumerate(self.head):
            table.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        return table


@dataclass(slots=True)
class Report:
    """Results of a run; sections of earlier runs are kept."""

    console: Console
    about: dict[str, Any]
    data: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)

    def add(
        self,
        section: str,
        rows: Sequence[Any],
        tables: Sequence[Table],
        *,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a section's figures and print its tables.

        Args:
            section: its name.
            rows: dataclasses.
            tables: the tables to print.
            about: values that differ from the run's description in this section.
        """
        self.data[section] = {"about": {**self.about, **(about or {})}, "rows": [asdict(row) for row in rows]}
        self.tables += tables
        for table in tables:
            self.console.print(table.rich())

    def save(self) -> None:
        """Save the figures; sections that this run leaves out keep their earlier figures."""
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / "results.json"
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        content = json.dumps({**before, **self.data}, ensure_ascii=False, indent=1)
        file.write_text(content + "\n", encoding="utf-8")
        (RESULTS / "results.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the tables of this run."""
        about = ", ".join(f"{key} {value}" for key, value in self.about.items())
        return "\n".join([f"Run: {about}.\n", *(table.markdown() for table in self.tables)])


def wilson(hits: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval that contains the true share with a confidence; (0, 1) without trials.

    Wilson's score interval ("Probable inference, the law of succession, and statistical inference", JASA 22,
    1927) stays within [0, 1]. It is meaningful even when all trials or none succeed. With p̂ = hits / trials::

        (p̂ + z²/2n ± z·√(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n)

    Args:
        hits: successful trials, at most ``trials``.
        trials: independent trials.
        confidence: in (0, 1).

    >>> [round(bound, 3) for bound in wilson(20, 20)]
    [0.839, 1.0]
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = hits / trials, z * z / trials
    middle = share + spread / 2
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4)
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))
