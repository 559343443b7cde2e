"""Find contacts in the lines and links of a page: filing numbers, names, addresses, telephone. Pure.

Lines are normalised first (NFKC), so full-width letters, digits and brackets count as ASCII.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from analysis.sites.proposing import MAX_VALUE_CHARS
from storage.records import ProposalKind
from system.sites import registered_domain

_MAX_CHARS = 120  # of a value in a line
_CONTEXT_CHARS = 40  # characters of the line that are quoted before and after a value
_PURPOSE_CHARS = 20  # characters before a value that show its purpose
_MAX_LINE_CHARS = 300_000
_MAX_LABEL_CHARS = 30
_MAX_LABEL_HAN = 10

_PROVINCE = "[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]"
_ICP = re.compile(
    rf"({_PROVINCE})\s?ICP\s?([备備证証證])\s?案?字?第?\s?([A-Z]?\d?-?\d{{6,12}})\s?[号號]?(?:\s?-\s?(\d{{1,3}})(?!\d))?",
    re.IGNORECASE,
)
_PERMIT = re.compile(rf"({_PROVINCE}B[12]-\d{{8}})(?!\d)")
_POLICE = re.compile(rf"({_PROVINCE})\s?公网安备\s?[第:]?\s?(\d{{10,14}})\s?号?")

_LOCAL = r"(?<![A-Za-z0-9._%+/#@-])([A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_])?)"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_BRACKETED = r"\s?[(\[{{<【]\s?{word}\s?[)\]}}>】]\s?"
_AT = rf"(?:\s?(?:@|#|☆|★|艾特|_at_|-at-)\s?|{_BRACKETED.format(word='(?:at|a|@|#|艾特)')}|\sat\s)"
_DOT = rf"(?:\.|。|点|{_BRACKETED.format(word='(?:dot|点|[.])')}|\sdot\s)"
_EMAIL = re.compile(rf"{_LOCAL}({_AT})({_LABEL}(?:{_DOT}{_LABEL}){{1,5}})", re.IGNORECASE)
_ANY_DOT = re.compile(_DOT, re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:x{2,}|abc|git|no-?reply|(?:your)?name|user(?:name)?|e?mail|example|someone)@|@(?:example|x+|abc|domain|yoursite|email)\."
)
_MIN_ADDRESS_CHARS = 3
_MIN_NAME_CHARS = 4
_MIN_HASH_LOCAL = 3  # shortest name before a “#”: shorter ones are programming languages

_QQ = re.compile(
    r"(?<![A-Za-z0-9/])(?:QQ|扣扣|企鹅)\s?(?:客服|号码?|联系|咨询|在线|交谈)?\s?[::]?\s?([1-9]\d{4,10})(?!\s?[@#\d])",
    re.IGNORECASE,
)
_NUMBER = (
    r"((?:\+?86[- ]?)?(?:\(?0\d{2,3}\)?[- ]?\d{7,8}(?:[-转]\d{1,6})?|1[3-9]\d[- ]?\d{4}[- ]?\d{4}"
    r"|[48]00[- ]?\d{3,4}[- ]?\d{3,4}))(?!\d)"
)
_PHONE = re.compile(
    rf"(?:电话|热线|手机|座机|客服|联系方式|Tel(?:ephone)?|Phone)[^\d+()\n]{{0,8}}(?<!\d)\(?{_NUMBER}",
    re.IGNORECASE,
)
_FREE_PHONE = re.compile(r"(?<![\d-])(400[- ]\d{3,4}[- ]\d{3,4})(?![\d-])")

_HAN = "\u4e00-\u9fff"
_HAN_LETTER = re.compile(f"[{_HAN}]")
_ORGANISATION = re.compile(
    rf"[{_HAN}][{_HAN}A-Za-z0-9()·]{{1,38}}?"
    r"(?:有限责任公司|股份有限公司|有限公司|集团公司|传媒集团|出版集团|工作室|出版社|报社|杂志社|通讯社|电视台)"
    r"(?![限任])"
)
_NAMED = re.compile(
    rf"(?:主办单位|主办方|开办单位|运营(?:主体|单位|方|商)|公司名称|企业名称|单位名称)\s?[::]\s?([{_HAN}][{_HAN}A-Za-z0-9()·]{{3,39}})"
)
_BEFORE_NAME = re.compile(
    r"^(?:本网站|本站|本网|版权所有|版权归|版权|主办单位|主办方|主办|承办|开办单位|运营(?:主体|单位|方|商)?|公司名称|企业名称|单位名称"
    r"|著作权人|所有者|由|归|属于|及|和|与|是|系|的)+"
)
_NOT_OPERATOR = re.compile(
    r"技术支持|网站?建设|建站|设计|制作|法律顾问|律师|友情链接|合作|广告|赞助|客户|战略|服务器|来源|稿源"
)
_POSTAL = re.compile(
    rf"(?:联系|公司|办公|通讯|通信|单位)?地址\s?[::]\s?([{_HAN}][{_HAN}A-Za-z0-9()#·,，、 -]{{5,70}})"
)
_END_OF_POSTAL = re.compile(
    r"\s*(?:邮编|邮政编码|电话|热线|邮箱|邮件|联系|网址|QQ|Tel|E-?mail|版权|\s{2}).*", re.IGNORECASE
)

# Labels of links to pages that accept complaints, the best first.
_FORMS = (
    re.compile(
        r"(?:版权|侵权|知识产权|权利).{0,4}(?:投诉|举报|申诉|通知|处理|保护)|投诉.{0,3}(?:侵权|举报|通道|指引)|DMCA"
        r"|copyright\s(?:complaint|claim|infring)|report\s(?:abuse|infring)",
        re.IGNORECASE,
    ),
    re.compile(r"投诉|版权声明|版权说明|免责声明|侵权|copyright", re.IGNORECASE),
    re.compile(r"联系我们|联系方式|联系站长|联系本站|意见反馈|留言反馈|^contact(?:\sus)?$", re.IGNORECASE),
)
# Official bodies to which readers report a site; they do not answer for it.
_OFFICIAL = frozenset({"12377.cn", "12321.cn", "cyberpolice.cn", "bjjubao.org"})
_COMPLAINTS = re.compile(r"版权(?!所有)|侵权|投诉|举报|权利|copyright|dmca|abuse", re.IGNORECASE)
_CONTACTS = re.compile(r"联系|邮箱|邮件|客服|站长|管理员|contact|e-?mail", re.IGNORECASE)
_OTHER_PURPOSE = re.compile(r"广告|推广|商务|招聘|投稿|加盟|友链|技术支持|律师")
# Words of a line in which a site names its operator.
_OPERATOR = re.compile(
    r"版权所有|版权归|©|copyright|all rights|主办|承办|运营|公司名称|企业名称|ICP|备案|公网安备|许可证",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[了参加成立在把被]|概况")  # a name with these is a part of a sentence
_QQ_LINK = re.compile(r"(?:wpa\.qq\.com/msgrd|tencent://message)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PrintedFact:
    """A fact that a page prints.

    Attributes:
        words: the line around it.
        weight: how well its words fit a complaint, 0 to 3.
    """

    kind: ProposalKind
    value: str
    words: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link of a page: its absolute address, and its label."""

    url: str
    label: str


def facts_in(line: str) -> Iterator[PrintedFact]:
    """Yield the facts in a line of a page."""
    text = " ".join(unicodedata.normalize("NFKC", line[:_MAX_LINE_CHARS]).split())
    for kind, value, start, end in _spans(text):
        before = text[max(0, start - _CONTEXT_CHARS) : start]
        words = before + text[start : end + _CONTEXT_CHARS]
        yield PrintedFact(kind, value[:_MAX_CHARS], words, _weight(before[-_PURPOSE_CHARS:], words))


def facts_of_link(link: PageLink) -> Iterator[PrintedFact]:
    """Yield the facts in the address and the label of a link."""
    scheme, _, target = link.url.partition(":")
    label = " ".join(link.label.split())[:_CONTEXT_CHARS]
    if scheme.lower() == "mailto":
        if address := _mail_address(*unquote(target).partition("?")[0].partition("@")):
            yield PrintedFact("email", address, f"{label} <{address}>".strip(), _weight("", label))
    elif scheme.lower() == "tel":
        if match := re.fullmatch(_NUMBER, unquote(target).strip()):
            yield PrintedFact("phone", match[1], label or match[1], _weight("", label))
    elif _QQ_LINK.search(link.url):
        for number in parse_qs(urlsplit(link.url).query).get("uin", ())[:1]:
            if re.fullmatch(r"[1-9]\d{4,10}", number):
                yield PrintedFact("qq", number, label or link.url[:_MAX_CHARS], _weight("", label))
    elif scheme.lower() in {"http", "https"} and (weight := _form_weight(link)):
        yield PrintedFact("form", link.url, label, weight)


def hidden_address(code: str) -> str:
    """Return the mail address that Cloudflare encodes in an attribute; empty for another code.

    The first byte is a key; the address is the other bytes, each combined with the key by XOR.

    >>> hidden_address("7a1b4b3a0b0b54191517")
    'a1@qq.com'
    """
    try:
        key, *letters = bytes.fromhex(code[:400])
    except ValueError:
        return ""
    text = bytes(letter ^ key for letter in letters).decode("ascii", "ignore")
    return _mail_address(*text.partition("@"))


def _spans(text: str) -> Iterator[tuple[ProposalKind, str, int, int]]:
    """Yield kind, value, start and end of each fact in a normalised line."""
    for kind, pattern, value_of in _READERS:
        for match in pattern.finditer(text):
            if value := value_of(match):
                yield kind, value, *match.span()
    yield from _names(text)


def _filing(match: re.Match[str]) -> str:
    sort = "备" if match[2] in "备備" else "证"
    return f"{match[1]}ICP{sort}{match[3].upper()}号" + (f"-{match[4]}" if match[4] else "")


def _police_filing(match: re.Match[str]) -> str:
    return f"{match[1]}公网安备{match[2]}号"


def _phone_number(match: re.Match[str]) -> str:
    return match[1].replace("(", "").replace(")", "-")


def _postal_address(match: re.Match[str]) -> str:
    value = _END_OF_POSTAL.sub("", match[1]).strip(" ,，、-")
    return value if len(value) > _MIN_ADDRESS_CHARS else ""


def _names(text: str) -> Iterator[tuple[ProposalKind, str, int, int]]:
    """Yield the organisations of a line, without those that built the site or advertise on it."""
    for match in _ORGANISATION.finditer(text):
        name = _BEFORE_NAME.sub("", match[0])
        before = text[max(0, match.start() - len("技术支持单位: ")) : match.end() - len(name)]
        is_named = bool(_OPERATOR.search(text)) or text == match[0]
        is_other = _SENTENCE.search(name) or _NOT_OPERATOR.search(before)
        if is_named and len(name) > _MIN_NAME_CHARS and not is_other:
            yield "name", name, *match.span()
    for match in _NAMED.finditer(text):
        if not _ORGANISATION.search(match[1]):
            yield "name", match[1], *match.span()


def _mail_address(local: str, at: str, domain: str) -> str:
    """Return a mail address in its usual spelling; empty if it is none, or an example."""
    if at.strip() == "#" and len(local) < _MIN_HASH_LOCAL:
        return ""
    labels = _ANY_DOT.sub(".", domain).lower().split(".")
    while len(labels) > 1 and not registered_domain(".".join(labels)):
        labels.pop()  # the words after an address may look like a part of it
    address = f"{local}@{'.'.join(labels)}".lower()
    is_address = len(labels) > 1 and re.fullmatch(r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9.-]{4,100}", address)
    return address if is_address and not _PLACEHOLDER.search(address) else ""


_READERS: tuple[tuple[ProposalKind, re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    ("icp", _ICP, _filing),
    ("icp", _PERMIT, lambda match: match[1]),
    ("police", _POLICE, _police_filing),
    ("email", _EMAIL, lambda match: _mail_address(match[1], match[2], match[3])),
    ("qq", _QQ, lambda match: match[1]),
    ("phone", _PHONE, _phone_number),
    ("phone", _FREE_PHONE, _phone_number),
    ("address", _POSTAL, _postal_address),
)


def _form_weight(link: PageLink) -> int:
    """Return how well a link leads to a page for complaints, 3 the best; 0: not at all."""
    if not link.label or len(link.label) > _MAX_LABEL_CHARS or len(link.url) > MAX_VALUE_CHARS:
        return 0
    if len(_HAN_LETTER.findall(link.label)) > _MAX_LABEL_HAN:
        return 0  # a title
    domain = registered_domain(urlsplit(link.url).hostname or "")
    if domain in _OFFICIAL or domain.endswith(".gov.cn"):
        return 0
    labels = (3 - number for number, pattern in enumerate(_FORMS) if pattern.search(link.label))
    return next(labels, 0)


def _weight(before: str, words: str) -> int:
    """Return how well a value fits a complaint, by the words before it, then by all words around it."""
    for text in (before, words):
        if _COMPLAINTS.search(text):
            return 3
        if _OTHER_PURPOSE.search(text):
            return 0
    return 2 if _CONTACTS.search(words) else 1


def distinct(facts: Iterable[PrintedFact]) -> list[PrintedFact]:
    """Return one fact for each kind and value, the one with the greatest weight."""
    best: dict[tuple[str, str], PrintedFact] = {}
    for fact in facts:
        stored = best.setdefault((fact.kind, fact.value), fact)
        if fact.weight > stored.weight:
            best[fact.kind, fact.value] = fact
    return list(best.values())
