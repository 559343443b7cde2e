"""What analysts say about matches, and other thresholds tried on what they said."""
