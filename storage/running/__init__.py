"""Running processes of an installation, as they report in Redis."""
