"""The ``pindna`` command: a folder for each group of commands, wired in :mod:`deploy.cli.app`."""
