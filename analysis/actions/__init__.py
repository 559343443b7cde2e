"""What people and programs do, in the bounds of who acts: permission, scope, the library, the audit log."""
