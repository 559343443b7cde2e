"""Reads lists of addresses within limits: pages of links, sitemaps, feeds. Pure, like extraction."""
