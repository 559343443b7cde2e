"""Whether what pindna works on is well: its services, the database version, this machine."""
