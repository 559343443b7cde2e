"""Latin words in Chinese texts: what may stand there, and what was forgotten."""

import re

# What readers of Chinese know by these names, or type as they stand.
_WRITTEN = """
    pindna MongoDB Redis Valkey SecantusDB Celery Chromium chromium Scrapy Excel WARC replayweb.page root
    HTTP HTTPS URL TLS SOCKS DNS UTC JSON JSONL CSV HTML XML TOML CSS XPath UTF-8 MB GB KB PNG PDF TOTP Python
    SHA-256 SHA-1 MD5 DNA SimHash MinHash LSH nshash I-Match IDF TF-IDF SCAM DOM
    robots.txt pindna.toml labels.csv SHA256SUMS access.proxies secantusd-py Ctrl-C Ctrl-D LANG
    copy partial quote common licensed clear title text version csv html json demo
    access.headers access.login robots.reason discovery engine urls sitemaps feeds news site
    maxmemory-policy noeviction chown book.example.cn works chapters render toml id PID c7 m12
    XLSX DMCA ReplayWeb.page Ed25519 PEM Base64 whsec_ ASCII webhook apprise h1 chmod SHA256 checkpoint.txt ×
    true false tls name@example.cn https:// http:// waiting failed sent not-sent withdrawn accepted refused
    EPUB DRM YAML Word Markdown jieba novel metadata.toml metadata.csv container.xml zip file z zh n l
    RSS Atom smtp.example.cn ZIP Cookie b SRV TXT cron Asia/Shanghai
    WACZ HAR MHTML OPML CDXJ SearXNG Brave SingleFile http(s) pdf
    CDN CNAME RDAP ICP QQ IP IANA STARTTLS Webhook TSA mailto English
    Idempotency-Key Content-Type User-Agent NTP PINDNA_… socks5 socks4
"""
NAMES = frozenset(_WRITTEN.split())
_LONGEST_FIRST = "|".join(re.escape(name) for name in sorted(NAMES, key=len, reverse=True))
_NAME = re.compile(rf"(?<![A-Za-z.])(?:{_LONGEST_FIRST})(?![A-Za-z]|[.-][A-Za-z])")
_NOT_WORDS = re.compile(
    r"""
    `[^`]*` | <code[^>]*>.*?</code>       # a command to type
    | pip\ install\ \S+ | apt-get\ install\ \w+ | celery\ -A\ tracker\ \w+
    | %[-.\d]*[sdf](?![A-Za-z])
    | (?<=输入\ )[a-z]\ 或\ [a-z]            # a letter to answer with
    | \bload:(?=\S)                       # a name to type
    | [a-z]+://\S+
    | (?:GET|POST|PUT|PATCH)\ /[\w/{}]+ # a call of the API
    | \ /[a-z]+\                        # a path of the API
    | %\(\w+\)s | \{[^{}]*\}              # what is put in later
    | (?<![\w-])--?[A-Za-z][\w-]*         # an option
    | (?<![\w])[A-Z]+_[\w]+               # a variable of the environment
    | \b(?:analysis\.)?[a-z]+\.[a-z]+_[a-z_]+\b | \banalysis\.[a-z_.]+   # a setting
    | (?<![A-Za-z0-9])\.[a-z]+(?:\.[a-z]+)?\b    # an ending
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[A-Za-zÀ-ɏ]+")


def forgotten(text: str, *, names: frozenset[str] = frozenset()) -> list[str]:
    """Return the Latin words of a Chinese text that no reader of Chinese should meet.

    Args:
        text: as people read it.
        names: further words that belong there.
    """
    rest = _NAME.sub(" ", _NOT_WORDS.sub(" ", text))
    return [word for word in _WORD.findall(rest) if word not in names]
