"""Sentences that tests hide on pages, and where extraction puts them."""

import re

from crawler.extraction import ExtractedPage, PageContext, extract

# Written for these tests.
SENTENCES = (
    "柳叶渡的老艄公每天清早都要先往江心撒一把米，说是喂那些不肯投胎的水鬼。",
    "那年秋天涨水，渡口冲来半扇朱漆大门，门环上还挂着一截褪了色的红绸。",
    "少年蹲在石阶上数船钉，数到第七十三根的时候，听见有人在身后叫他的小名。",
    "他没有回头，因为这个名字除了死去的母亲，世上再没有第二个人知道。",
    "江风忽然停了，连芦苇也不响，只有水底下传来一阵一阵敲木鱼的声音。",
    "老艄公把篙往岸上一横，低声说：今夜这船，只渡活人，不渡故人。",
)
DECOY = (
    "城西的豆腐坊开了三十年，磨盘换过两副，招牌却一直是当初那块旧木板。",
    "老板娘卖豆腐从不用秤，一刀下去不多不少，街坊们都说她手里有准星。",
    "到了腊月里，排队的人从巷口一直站到桥头，热气把整条街都蒸得白茫茫的。",
    "后来她的女儿从省城回来，把豆腐装进纸盒，贴上花花绿绿的签子往外寄。",
    "老街坊嘴上嫌贵，背地里却一盒一盒地买，说是给外地的儿孙尝尝家乡味。",
)
_HAN = re.compile("[\u3400-\u9fff]+")


def han(text: str) -> str:
    """Return the Han characters of a text."""
    return "".join(_HAN.findall(text))


def page(body: str, *, head: str = "") -> str:
    """Return a page with a decoy article and something else."""
    article = "".join(f"<p>{line}</p>" for line in DECOY)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>豆腐坊</title>{head}</head>'
        f"<body><h1>豆腐坊</h1><article>{article}</article>{body}</body></html>"
    )


def paragraphs() -> str:
    """Return the sentences as paragraphs."""
    return "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def read(markup: str, context: PageContext | None = None) -> ExtractedPage:
    """Return the extraction result of a page."""
    return extract(markup.encode(), url="https://book.example.com/1.html", context=context or PageContext())


def missing(result: ExtractedPage) -> list[str]:
    """Return the sentences that are neither in the article nor in the rest."""
    article, rest = han(result.text), han(result.rest)
    return [sentence for sentence in SENTENCES if han(sentence) not in article and han(sentence) not in rest]


def reasons(result: ExtractedPage) -> set[str]:
    """Return the reasons why the sentences are not in the article."""
    return {
        piece.reason
        for piece in result.rest_pieces
        if any(han(sentence)[:8] in han(result.rest[piece.start : piece.end]) for sentence in SENTENCES)
    }


def unordered(text: str) -> list[int]:
    """Return a fixed, unnatural order of a text's characters."""
    return sorted(range(len(text)), key=lambda position: (position * 7919) % 10_007)
