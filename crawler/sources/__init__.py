"""Sources: their definition as TOML, and their trial before a crawl."""
