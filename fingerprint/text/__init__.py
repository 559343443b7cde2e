"""Pure functions on Chinese text: pinyin letters, character tables, normal forms, reading orders, views."""
