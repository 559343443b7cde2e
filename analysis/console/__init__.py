"""The web console: NiceGUI pages over the queries and the acts that the API shares.

``application`` puts it together, ``gate`` and ``headers`` keep strangers out, ``sign_in`` lets people in,
``view`` is one page in a user's browser, ``shell`` what every page has around it. The pages are in
``pages/``, the pieces that several of them use in ``parts/``.
"""
