"""Commands: rights holders and licences."""
