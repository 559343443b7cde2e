"""A proxy that is asked for whole addresses, and answers for them itself."""

from support.webserver import WebSite, article


class ProxySite(WebSite):
    """Stands for every site behind a proxy."""

    def __init__(self):
        super().__init__()
        self.default = lambda path, *_: article("经由代理", seed=len(path))
