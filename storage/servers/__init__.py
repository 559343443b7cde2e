"""The connections to MongoDB and Redis: opening them, their errors, and limits that all processes keep to."""
