"""Scans: starting and closing them, sending out work, crawls, pages to compare, stored pages asked again."""
