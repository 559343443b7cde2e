"""Pieces that several pages of the console use; everything from outside is text in them, never markup."""
