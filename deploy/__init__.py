"""How pindna runs: the command line, the embedded services, the demo.

A function that uses MongoDB or Redis raises :class:`system.errors.ServiceDown` when the server does not
answer. The caller may repeat the call. Docstrings mention this error only if it has further consequences.
"""
