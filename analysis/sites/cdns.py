"""Recognise content delivery networks (CDNs) by their published names and networks. Pure.

A CDN forwards requests, so the addresses in DNS are its own, and the machine behind it is not visible. A name
counts if it ends with one of these domains. Networks are those that Cloudflare and Fastly publish.
"""

import ipaddress
from collections.abc import Mapping

_DOMAINS: Mapping[str, tuple[str, ...]] = {
    "Akamai": ("akamai.net", "akamaiedge.net", "akamaized.net", "edgekey.net", "edgesuite.net"),
    "Alibaba Cloud CDN (阿里云)": (
        "alikunlun.com",
        "cdngslb.com",
        "kunlunaq.com",
        "kunlunca.com",
        "kunlunsl.com",
    ),
    "Amazon CloudFront": ("cloudfront.net",),
    "Azure Front Door": ("azureedge.net", "azurefd.net"),
    "Baidu AI Cloud CDN (百度智能云)": ("bdydns.com", "jomodns.com", "yunjiasu-cdn.net"),
    "BunnyCDN": ("b-cdn.net",),
    "CDNetworks (网宿科技)": ("lxdns.com", "wscdns.com", "wsdvs.com", "wsglb0.com", "chinanetcenter.com"),
    "ChinaCache (蓝汛)": ("ccgslb.com", "ccgslb.net", "chinacache.net"),
    "Cloudflare": ("cdn.cloudflare.net", "ns.cloudflare.com"),
    "Fastly": ("fastly.net", "fastlylb.net"),
    "Gcore": ("gcdn.co",),
    "GitHub Pages": ("github.io",),
    "Huawei Cloud CDN (华为云)": ("cdnhwc1.com", "cdnhwc2.com", "cdnhwc3.com"),
    "Qiniu (七牛云)": ("qiniudns.com", "qbox.me"),
    "Tencent Cloud CDN (腾讯云)": ("cdntip.com", "dnsv1.com", "dnsv1.com.cn", "tdnsv5.com", "eo.dnse1.com"),
    "UPYUN (又拍云)": ("aicdn.com", "upaiyun.com"),
    "Vercel": ("vercel-dns.com", "vercel-dns-016.com"),
    "加速乐 (知道创宇)": ("jiashule.com", "365cyd.net"),
}
_NETWORKS: Mapping[str, tuple[str, ...]] = {
    "Cloudflare": (
        "103.21.244.0/22",
        "103.22.200.0/22",
        "103.31.4.0/22",
        "104.16.0.0/13",
        "104.24.0.0/14",
        "108.162.192.0/18",
        "131.0.72.0/22",
        "141.101.64.0/18",
        "162.158.0.0/15",
        "172.64.0.0/13",
        "173.245.48.0/20",
        "188.114.96.0/20",
        "190.93.240.0/20",
        "197.234.240.0/22",
        "198.41.128.0/17",
        "2400:cb00::/32",
        "2405:8100::/32",
        "2405:b500::/32",
        "2606:4700::/32",
        "2803:f800::/32",
        "2a06:98c0::/29",
        "2c0f:f248::/32",
    ),
    "Fastly": ("151.101.0.0/16", "199.232.0.0/16", "2a04:4e40::/32", "2a04:4e42::/32"),
}
_BY_DOMAIN = {domain: cdn for cdn, domains in _DOMAINS.items() for domain in domains}
_BY_NETWORK = [(ipaddress.ip_network(text), cdn) for cdn, texts in _NETWORKS.items() for text in texts]


def cdn_of_name(name: str) -> str:
    """Return the CDN to which a name in DNS belongs; empty if it is none that is listed.

    >>> cdn_of_name("www.example.cn.cdn.cloudflare.net."), cdn_of_name("notfastly.net")
    ('Cloudflare', '')
    """
    labels = name.lower().rstrip(".").split(".")
    suffixes = (".".join(labels[start:]) for start in range(len(labels)))
    return next((_BY_DOMAIN[suffix] for suffix in suffixes if suffix in _BY_DOMAIN), "")


def cdn_of_address(text: str) -> str:
    """Return the CDN to whose networks an IP address belongs; empty if it is none that is listed.

    >>> cdn_of_address("104.16.1.1"), cdn_of_address("8.8.8.8")
    ('Cloudflare', '')
    """
    address = ipaddress.ip_address(text)
    return next((cdn for network, cdn in _BY_NETWORK if address in network), "")
