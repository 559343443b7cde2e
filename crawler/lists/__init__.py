"""What lists name, within bounds: pages of links, sitemaps, feeds. Pure, as extraction is."""
