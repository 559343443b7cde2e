"""Pinyin letters: loading time and characters per second, compared with pypinyin, the source of the table."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.speed import speed_ratio, time_interleaved
from fingerprint.text.letters import to_letters

_LOAD = (
    "import time, numpy; t = time.perf_counter(); import fingerprint.text.letters; "
    "print(time.perf_counter() - t)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LettersRun:
    """Speed of one method that converts texts to letters.

    Attributes:
        method: name of the method.
        load_ms: median time to import it in a fresh process, without the time to import NumPy.
        chars_s: characters per second.
        times: speed divided by the speed of pypinyin; 0 if pypinyin is not installed.
    """

    method: str
    load_ms: float
    chars_s: float
    times: float


def measure(texts: Sequence[str], *, rounds: int) -> list[LettersRun]:
    """Return the figures of pindna's table, and of pypinyin if it is installed.

    Args:
        texts: texts to convert to letters.
        rounds: number of rounds of the interleaved timing, and number of fresh processes.
    """
    functions: dict[str, tuple[Callable[[str], object], str]] = {"letters": (to_letters, _LOAD)}
    if peer := _load_pypinyin():
        load = _LOAD.replace("import fingerprint.text.letters", "import pypinyin; pypinyin.lazy_pinyin('青')")
        functions["pypinyin"] = peer, load
    rows = time_interleaved([function for function, _ in functions.values()], texts, rounds=rounds)
    chars = sum(map(len, texts)) / len(texts)
    return [
        LettersRun(
            method=name,
            load_ms=median(_run_timed(load) for _ in range(rounds)) * 1000,
            chars_s=chars / median(seconds),
            times=speed_ratio(rows[1], seconds) if len(rows) > 1 else 0.0,
        )
        for (name, (_, load)), seconds in zip(functions.items(), rows, strict=True)
    ]


def _load_pypinyin() -> Callable[[str], object] | None:
    try:
        from pypinyin import Style, lazy_pinyin  # noqa: PLC0415 - an optional dependency
    except ImportError:
        return None
    return lambda text: lazy_pinyin(text, style=Style.FIRST_LETTER, errors="ignore")


def _run_timed(program: str) -> float:
    """Run a program in a fresh process, and return the seconds that it prints."""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    return float(process.stdout)
