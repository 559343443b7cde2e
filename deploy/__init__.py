"""How pindna runs: the command line, the embedded services, the demo."""
