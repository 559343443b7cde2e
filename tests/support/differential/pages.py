"""Hypothesis strategies of pages that show a protected text."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies

from support.differential.attributes import ATTRIBUTES
from support.differential.carriers import CARRIERS
from support.differential.decoys import DECOYS
from support.differential.documents import CODINGS, SHELLS, UTF8, XML_SHELLS, HostilePage, assembled
from support.differential.forms import FORMS, PLAIN_FORMS
from support.differential.fragments import Choices, Fragment, Technique
from support.differential.orders import ORDERS
from support.differential.splits import SPLITS
from support.differential.styles import STYLES
from support.differential.texts import PROTECTED, traditional

WRAPPERS = (*STYLES, *ATTRIBUTES)
TECHNIQUES = (*FORMS, *ORDERS, *SPLITS, *WRAPPERS, *CARRIERS)
NAMED = {technique.name: technique for technique in TECHNIQUES}
_PLAIN = {form.name for form in PLAIN_FORMS}


def made_fragment(paragraphs: Sequence[str], techniques: Sequence[Technique], choices: Choices) -> Fragment:
    """Return a fragment of paragraphs: the first technique is a form, the others change what it makes."""
    form, *changes = techniques
    fragment = form(paragraphs, choices)
    for change in changes:
        fragment = change(fragment, choices)
    return fragment


def page_of_one(technique: Technique, *, seed: int, decoy: str = "before") -> HostilePage:
    """Return a page that shows the first five paragraphs by one technique, its variants chosen by a seed."""
    choices = Choices(random.Random(seed).choice)
    is_form = technique in FORMS or technique in ORDERS
    techniques = [technique] if is_form else [NAMED["form-p"], technique]
    paragraphs = PROTECTED[:5]
    fragment = made_fragment(paragraphs, techniques, choices)
    return assembled([fragment], ["".join(paragraphs)], decoy=decoy)


def page_of_shell(shell: str, *, decoy: str = "before") -> HostilePage:
    """Return a page whose document alone is odd."""
    fragment = made_fragment(PROTECTED[:5], [NAMED["form-p"]], Choices(lambda values: values[0]))
    return assembled([fragment], ["".join(PROTECTED[:5])], shell=shell, decoy=decoy)


def page_of_coding(coding: str, *, decoy: str = "before") -> HostilePage:
    """Return a page whose encoding alone is odd."""
    is_traditional = CODINGS[coding].is_traditional
    paragraphs = [traditional(text) if is_traditional else text for text in PROTECTED[:5]]
    fragment = made_fragment(paragraphs, [NAMED["form-p"]], Choices(lambda values: values[0]))
    return assembled([fragment], ["".join(paragraphs)], coding=coding, decoy=decoy)


def _drawn_techniques(draw: Any, *, is_xml: bool) -> list[Technique]:
    """Return a form, and up to five techniques that change it."""

    def some(techniques: Sequence[Technique], most: int) -> list[Technique]:
        usable = [technique for technique in techniques if technique.is_xml or not is_xml]
        return draw(strategies.lists(strategies.sampled_from(usable), max_size=most)) if usable else []

    forms = [form for form in (*PLAIN_FORMS * 6, *FORMS, *ORDERS) if form.is_xml or not is_xml]
    form = draw(strategies.sampled_from(forms))
    splits = some(SPLITS, 1) if form.name in _PLAIN else []
    return [form, *splits, *some(WRAPPERS, 3), *some(CARRIERS, 1), *some(WRAPPERS, 1)]


@strategies.composite
def hostile_pages(draw: Any) -> HostilePage:
    """Pages of one or two fragments, each made by a form and up to six techniques, beside a decoy."""
    is_xml = draw(strategies.integers(0, 9)) == 9
    shell = draw(strategies.sampled_from(sorted(XML_SHELLS) if is_xml else ["html"] * 12 + sorted(SHELLS)))
    coding = "utf-8" if is_xml else draw(strategies.sampled_from(["utf-8"] * 30 + sorted(CODINGS)))
    decoy = draw(strategies.sampled_from(sorted(DECOYS)))
    choices = Choices(lambda values: draw(strategies.sampled_from(list(values))))
    how = UTF8 if is_xml else CODINGS[coding]
    cuts = draw(strategies.sampled_from(((0, 5), (0, 4, 8), (3, 9), (2, 5, 11))))
    fragments, texts = [], []
    for start, end in zip(cuts, cuts[1:], strict=False):
        paragraphs = [traditional(text) if how.is_traditional else text for text in PROTECTED[start:end]]
        fragments.append(made_fragment(paragraphs, _drawn_techniques(draw, is_xml=is_xml), choices))
        texts.append("".join(paragraphs))
    is_sheet_in_body = draw(strategies.booleans())
    return assembled(
        fragments, texts, shell=shell, coding=coding, decoy=decoy, is_sheet_in_body=is_sheet_in_body
    )
