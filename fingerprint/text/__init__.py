"""Chinese text, pure: its letters, tables of characters, normal forms and views."""
