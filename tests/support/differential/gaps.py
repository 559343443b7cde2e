"""What reading still lacks without saying so. A test fails when a technique is here and its text is read."""

OPEN: dict[str, str] = {}
