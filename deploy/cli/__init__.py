"""The ``pindna`` command: a folder for each group of commands; :mod:`deploy.cli.app` combines the groups.

The table in the ``__init__`` of a group's folder describes each command of the group. A function that needs
settings or services raises :class:`system.errors.BadSettings` or :class:`system.errors.ServiceDown` when the
settings are wrong or a service does not answer. Commands do not catch errors;
:func:`deploy.cli.app.run_command` prints them.
"""
