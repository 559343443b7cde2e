"""Scrapy's settings, alphabetical. What a source or pindna.toml decides is set in ``crawler.program``.

Rules: nothing listens (no telnet, no remote control); only http and https; robots.txt obeyed and the
crawler's name honest; no response larger than the limit, compressed or not; no page text in a log.
"""

from crawler.download.private_allowlist import PrivateAllowlist
from system import version

ADDONS: dict[str, int] = {}
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_MAX_DELAY = 30.0
AUTOTHROTTLE_START_DELAY = 0.0  # PaceMiddleware sets the pace; AutoThrottle only slows down for slow sites
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
BOT_NAME = "pindna"
CONCURRENT_ITEMS = 1  # a response yields one item, and Scrapy starts this many tasks for each response
CONCURRENT_REQUESTS_PER_DOMAIN = 4
COOKIES_ENABLED = False
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate, br",
    "Accept-Language": "zh-CN,zh;q=0.9,zh-TW;q=0.8",
}
DOWNLOADER = "crawler.download.downloader.BoundedDownloader"
DOWNLOADER_MIDDLEWARES = {
    "crawler.middlewares.skipping.SkippingMiddleware": 50,
    # The outermost check of requests, which includes redirects and robots.txt.
    "crawler.middlewares.address.AddressMiddleware": 60,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.robots.SharedRobotsMiddleware": 100,
    "crawler.middlewares.conditional.ConditionalMiddleware": 450,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "crawler.middlewares.backoff.BackoffMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "crawler.middlewares.refresh.RefreshMiddleware": 580,
    # sees a response before HttpCompressionMiddleware decompresses it
    "crawler.middlewares.limits.LimitsMiddleware": 595,
    "crawler.middlewares.identity.IdentityMiddleware": 690,  # before cookies and proxy
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "crawler.middlewares.cookies.OfflineCookiesMiddleware": 700,
    "crawler.middlewares.received.ReceivedMiddleware": 840,
    "crawler.middlewares.pace.PaceMiddleware": 900,  # innermost: a request waits here until it is sent
}
DOWNLOAD_HANDLERS = {
    "data": None,
    "file": None,
    "ftp": None,
    "http": "crawler.download.handler.BoundedHTTPHandler",
    "https": "crawler.download.handler.BoundedHTTPHandler",
    "s3": None,
}
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024
DOWNLOAD_TIMEOUT = 30.0
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_WARNSIZE = 0
EXTENSIONS = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.memusage.MemoryUsage": 0,
    "scrapy.extensions.logstats.LogStats": 0,
    "scrapy.extensions.throttle.AutoThrottle": 0,
    "crawler.extensions.closing.ClosingExtension": 100,
    "crawler.extensions.progress.ProgressExtension": 100,
    "crawler.extensions.leases.LeasesExtension": 100,
    "crawler.extensions.lifeline.LifelineExtension": 100,
}
# Scrapy would import even disabled extensions; its remote control alone takes 0.4 s.
EXTENSIONS_BASE: dict[str, int] = {}
# enabled for sources with proxies, but never by the environment variable http_proxy
HTTPPROXY_ENABLED = False
ITEM_PIPELINES = {"crawler.pipelines.StorePipeline": 100}
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%S %z"
LOG_LEVEL = "WARNING"
METAREFRESH_ENABLED = False  # the spider reads the page and its target
PINDNA_PRIVATE_ALLOWLIST = PrivateAllowlist()  # no private address at all
REDIRECT_MAX_TIMES = 5
REFERRER_POLICY = "same-origin"  # other sites get no referrer, but novel sites see their own pages
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"
ROBOTSTXT_OBEY = True
SCHEDULER = "crawler.scheduler.FrontierScheduler"
# Spiders yield outcomes, never requests, so these middlewares would only cost time. The one for referrers
# stays because it also handles redirects.
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
}
SPIDER_MODULES = ["crawler.spiders"]
TWISTED_DNS_RESOLVER = "crawler.download.resolver.SafeResolver"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
USER_AGENT = version.PRODUCT
