"""What every layer uses: errors and exit statuses, files, processes, logging, names and addresses.

Nothing of it stores anything or knows what pindna looks for.
"""
