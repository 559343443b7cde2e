"""What people and programs read: lists and records, in the bounds of who asks.

The console and the API ask here and nowhere else. Each function takes an
:class:`analysis.accounts.permissions.Identity` and requires its permission; a rights holder gets its own
works and what was found of them, and of anything else the error that there is no such record.
"""
