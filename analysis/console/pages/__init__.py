"""The console's pages, one a module: ``build`` shows what stands below the heading."""

from analysis.console.pages import account, today
from analysis.console.places import ACCOUNT, TODAY, Place
from analysis.console.shell import Builder

PAGES: tuple[tuple[Place, Builder], ...] = (
    (TODAY, today.build),
    (ACCOUNT, account.build),
)
