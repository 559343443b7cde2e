"""The reasons of failed downloads."""

from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest

from crawler.failures import PrivateAddress, failure_reason, failure_status


def test_failures_have_a_reason():
    assert failure_reason(PrivateAddress()) == "inner-address"
    assert failure_reason(IgnoreRequest("Forbidden by robots.txt")) == "robots"
    assert failure_reason(IgnoreRequest("max redirections reached")) == "redirects"
    assert failure_reason(DownloadTimeoutError()) == "timeout"
    assert failure_reason(DownloadCancelledError()) == "too-large"
    assert failure_reason(KeyError()) == "other: KeyError"
    assert failure_status(KeyError()) == 0
