"""Connections to MongoDB and Redis, their errors, and shared rate limits."""
