"""Commands: the database as a file, and brought up to date."""
