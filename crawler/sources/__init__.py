"""Sources: what a user writes about one as TOML, and trying it before it is crawled."""
