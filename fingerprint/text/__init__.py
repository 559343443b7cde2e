"""Chinese text, pure: letters, tables of characters, normal forms and views."""
