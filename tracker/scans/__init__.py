"""Scans: open and close them, dispatch work, run crawls, compare pages, reopen stored pages."""
