from pathlib import Path

import pytest

from analysis.words import printing
from storage.settings import CrawlerSettings


def test_missing_driver_is_named_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(printing, "has_driver", lambda: False)
    with pytest.raises(printing.PrinterMissing, match=r"extra browser.*pip install"):
        printing.print_pdf("<p>", CrawlerSettings())


def test_missing_browser_is_named_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(printing, "has_driver", lambda: True)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(printing.PrinterMissing, match=r"there is no browser.*apt-get"):
        printing.print_pdf("<p>", CrawlerSettings())


def test_wrong_path_is_named_as_the_setting(monkeypatch):
    monkeypatch.setattr(printing, "has_driver", lambda: True)
    settings = CrawlerSettings(browser_path=Path("/nowhere/chromium"))
    with pytest.raises(printing.PrinterMissing, match=r"crawler\.browser_path is not a program"):
        printing.print_pdf("<p>", settings)
