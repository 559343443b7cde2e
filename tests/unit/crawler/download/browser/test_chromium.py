"""Which browser is used, and how it is started."""

import sys
from pathlib import Path

import pytest

from crawler.download.browser.chromium import (
    BrowserMissing,
    browser_path,
    has_driver,
    launch_options,
    require_browser,
)
from crawler.program import scrapy_settings
from storage.records import Source
from storage.settings import CrawlerSettings


def test_missing_browser_path_is_reported(tmp_path):
    settings = CrawlerSettings(browser_path=tmp_path / "none")
    assert browser_path(settings) is None
    if not has_driver():
        pytest.skip("no extra “browser”")
    with pytest.raises(BrowserMissing, match=r"browser_path is not an executable program\. Install chromium"):
        require_browser(settings, wanted_by="s")


def test_missing_browser_extra_is_reported_with_its_install_command(monkeypatch):
    monkeypatch.setattr("crawler.download.browser.chromium.find_spec", lambda _: None)
    with pytest.raises(BrowserMissing, match=r"pip install 'pindna\[browser\]'"):
        scrapy_settings(CrawlerSettings(), Source(name="s", kind="urls", render=True))


def test_only_rendered_sources_have_the_browsers_handler(monkeypatch, tmp_path):
    program = tmp_path / "chromium"
    program.touch(mode=0o755)
    monkeypatch.setattr("crawler.download.browser.chromium.find_spec", lambda _: True)
    settings = CrawlerSettings(browser_path=program)
    plain = scrapy_settings(settings, Source(name="s", kind="urls"))
    rendered = scrapy_settings(settings, Source(name="s", kind="urls", render=True, screenshot=True))
    assert plain.getdict("DOWNLOAD_HANDLERS")["http"] == "crawler.download.handler.BoundedHTTPHandler"
    handlers = rendered.getdict("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] == "crawler.download.browser.handler.BrowserHandler"
    assert handlers["file"] is None
    assert rendered.getbool("PINDNA_SCREENSHOT")


@pytest.mark.parametrize(
    ("fields", "most", "extra", "is_lazy"),
    [
        ({"render": "auto"}, 1, "here", True),
        ({"render": "auto"}, 0, "here", False),
        ({"render": "auto"}, 1, None, False),
        ({"render": "auto", "proxies": ("http://p:1",)}, 1, "here", False),
        ({"render": False}, 1, "here", False),
    ],
)
def test_source_with_automatic_rendering_has_the_browser_ready(monkeypatch, fields, most, extra, is_lazy):
    monkeypatch.setattr("crawler.download.browser.chromium.find_spec", lambda _: extra)
    settings = CrawlerSettings(browser_path=Path(sys.executable), max_rendered_pages=most)
    source = Source(name="s", kind="urls", **fields)
    handler = scrapy_settings(settings, source).getdict("DOWNLOAD_HANDLERS")["https"]
    plain, lazy = "handler.BoundedHTTPHandler", "browser.lazy.LazyBrowserHandler"
    assert handler == f"crawler.download.{lazy if is_lazy else plain}"


def test_sandbox_is_off_for_root_only(monkeypatch):
    for user, has_sandbox in ((0, False), (1000, True)):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        options = launch_options(
            Path("/chromium"), proxy="http://127.0.0.1:1", folder="/x", agent="pindna/0.2"
        )
        assert options["chromium_sandbox"] is has_sandbox
        assert "--no-sandbox" not in options["args"]
        assert set(options["env"]) == {"HOME", "TMPDIR", "PATH", "LANG"}
