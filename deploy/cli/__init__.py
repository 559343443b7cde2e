"""The ``pindna`` command: one module for each group of subcommands, wired in :mod:`deploy.cli.app`."""
