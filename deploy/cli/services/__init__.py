"""Commands: services started, served and examined."""
