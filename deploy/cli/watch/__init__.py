"""Commands: the takedown watch."""
