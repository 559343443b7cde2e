"""What people do with cases: moves, notes, who works on them, until when, and how urgent they are."""
