"""Reports made by hand; see :mod:`support.reports`."""

import pytest
from support import reports


@pytest.fixture
def build():
    return reports.make_report


@pytest.fixture
def flagged_report():
    return reports.flagged_report()
