"""Accounts of the console and the API: permissions, sign-in and the audit log."""
