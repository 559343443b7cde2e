"""Check this machine: free disk space, and a browser that renders a page."""

import os
import shutil
from pathlib import Path

from analysis.health.browser_record import last_rendered, mark_of, record_rendered
from analysis.health.services import Finding
from analysis.words.i18n import Translator
from analysis.words.labels import reason_word
from crawler.download.browser.chromium import browser_path, has_driver, has_sandbox
from crawler.sources.browser_trial import browser_version, rendering_problem
from storage.settings import CrawlerSettings

_MIN_FREE_BYTES = 1 << 30


def browser_finding(settings: CrawlerSettings, texts: Translator, *, folder: Path | None = None) -> Finding:
    """Check whether pages can be rendered; if not, describe the consequence.

    Args:
        settings: crawler settings.
        texts: the reader's language.
        folder: the data folder, which stores a successful trial for a day; None: try now, which takes
            seconds.
    """
    _ = texts.gettext
    path, configured = browser_path(settings), settings.browser_path
    if configured is not None and path is None:
        return Finding("browser", _("browser"), "wrong", _("{path} is not a program").format(path=configured))
    if not has_driver():
        note = _(
            "the browser extra is not installed: text that only a browser shows is reported, but "
            "not compared; to add it, run pip install 'pindna[browser]'"
        )
        return Finding("browser", _("browser"), "idle", note)
    if path is None:
        note = _(
            "no browser is installed: text that only a browser shows is reported, but not "
            "compared; install one, such as chromium"
        )
        return Finding("browser", _("browser"), "idle", note)
    return _check_rendering(path, settings, texts, folder)


def _check_rendering(
    path: Path, settings: CrawlerSettings, texts: Translator, folder: Path | None
) -> Finding:
    """Check whether a browser renders a test page."""
    _ = texts.gettext
    version = browser_version(path)
    shown = " ".join(filter(None, (str(path), version.rpartition(" ")[2])))
    mark = mark_of(path, version, settings)
    rendered = None if folder is None else last_rendered(folder, mark)
    if rendered is None and (problem := rendering_problem()):
        note = _(
            "The browser {path} cannot render a test page ({problem}), so sources that need a browser "
            "cannot be crawled. Install another version, or set crawler.browser_path."
        )
        line = note.format(path=shown, problem=reason_word(texts, problem))
        return Finding("browser", _("browser"), "alert", line)
    if folder is not None and rendered is None:
        record_rendered(folder, mark)
    if not has_sandbox():
        note = _(
            "The browser {path} runs without its sandbox, because pindna runs as root. If sources need "
            "a browser, run crawls as another user."
        )
        return Finding("browser", _("browser"), "alert", note.format(path=shown))
    return Finding(
        "browser", _("browser"), "good", _("The browser renders pages ({path})").format(path=shown)
    )


def disk_finding(folder: Path, texts: Translator) -> Finding:
    """Check whether a data folder, or its nearest existing parent, has space and is writable."""
    _ = texts.gettext
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if not there.is_dir() or not os.access(there, os.W_OK):
        return Finding("disk", _("disk"), "wrong", _("cannot write to {folder}").format(folder=there))
    space = _("{gigabytes:.1f} GB free in {folder}").format(gigabytes=free / 2**30, folder=folder)
    return Finding("disk", _("disk"), "good" if free > _MIN_FREE_BYTES else "wrong", space)
