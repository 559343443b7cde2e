"""Commands: start services, serve the console, and examine the installation."""
