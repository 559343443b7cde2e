"""Results of a benchmark run, as tables on the terminal and as JSON and Markdown files."""

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
    """A table with text cells."""

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
    """Results of a run, which are added to the saved results of earlier runs."""

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
        """Add the figures of a section, and print its tables.

        Args:
            section: name of the section.
            rows: figures, as dataclass instances.
            tables: the tables to print.
            about: description values of this section that differ from the description of the run.
        """
        self.data[section] = {"about": {**self.about, **(about or {})}, "rows": [asdict(row) for row in rows]}
        self.tables += tables
        for table in tables:
            self.console.print(table.rich())

    def save(self) -> None:
        """Save the figures. Sections that are not part of this run keep their earlier figures."""
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / "results.json"
        before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        content = json.dumps({**before, **self.data}, ensure_ascii=False, indent=1)
        file.write_text(content + "\n", encoding="utf-8")
        (RESULTS / "results.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the tables of this run in Markdown."""
        about = ", ".join(f"{key} {value}" for key, value in self.about.items())
        return "\n".join([f"Run: {about}.\n", *(table.markdown() for table in self.tables)])


def wilson(hits: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval that contains the true share with the given confidence; (0, 1) without trials.

    Wilson's score interval ("Probable inference, the law of succession, and statistical inference", JASA 22,
    1927) stays within [0, 1]. It is meaningful even when all trials or none succeed. With p̂ = hits / trials::

        (p̂ + z²/2n ± z·√(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n)

    Args:
        hits: number of successful trials, at most ``trials``.
        trials: number of independent trials.
        confidence: confidence level, in (0, 1).

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
