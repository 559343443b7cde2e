"""Scrapy's settings: what runs beside a crawl."""

from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list


def test_no_extension_listens_or_writes_files():
    settings = Settings()
    settings.setmodule("crawler.settings")
    extensions = build_component_list(settings.getwithbase("EXTENSIONS"))
    assert sorted(name.rpartition(".")[2] for name in extensions) == [
        "AutoThrottle",
        "ClosingExtension",
        "CoreStats",
        "LeasesExtension",
        "LifelineExtension",
        "LogStats",
        "MemoryUsage",
        "ProgressExtension",
    ]
