"""Actions of users and programs. Each one checks the permission and is recorded in the audit log."""
