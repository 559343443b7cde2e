"""The web console: NiceGUI pages that use the same queries and actions as the API.

``application`` builds the ASGI application. ``gate`` and ``headers`` protect it, and ``sign_in`` signs users
in. ``view`` represents one page in a user's browser, and ``shell`` adds the frame of every page. The pages
are in ``pages/``; components that several pages use are in ``parts/``.
"""
