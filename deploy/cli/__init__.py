"""The ``pindna`` command: a folder for each group of commands, wired in :mod:`deploy.cli.app`.

The table of a group, in the ``__init__`` of its folder, says what each command does. A function that needs
settings or services raises :class:`system.errors.BadSettings` or :class:`system.errors.ServiceDown` when
these are wrong or away. Commands let errors through to :func:`deploy.cli.app.run_command`, which prints them.
"""
