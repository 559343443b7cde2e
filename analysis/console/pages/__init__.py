"""The console's pages, one a module: ``build`` shows what stands below the heading."""

from analysis.console.pages import account, case, cases, today
from analysis.console.places import ACCOUNT, CASE, CASES, TODAY, Place
from analysis.console.shell import Builder

PAGES: tuple[tuple[Place, Builder], ...] = (
    (TODAY, today.build),
    (CASES, cases.build),
    (CASE, case.build),
    (ACCOUNT, account.build),
)
