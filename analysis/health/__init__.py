"""Health checks of services, the database schema and this machine."""
