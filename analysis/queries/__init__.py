"""Lists and records that users and programs may read.

The console and the API read data only through these functions. Each function takes an
:class:`analysis.accounts.permissions.Identity` and checks its permission. A rights holder gets only its own
works and their matches. For any other record it gets the error that there is no such record.
"""
