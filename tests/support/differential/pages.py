"""Recipes of pages that show a protected text, drawn at random or by Hypothesis."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies
from support.differential.attributes import ATTRIBUTES
from support.differential.carriers import CARRIERS
from support.differential.decoys import DECOYS
from support.differential.documents import CODINGS, SHELLS, UTF8, XML_SHELLS, HostilePage, assembled
from support.differential.fonts import WEB_FONTS
from support.differential.forms import FORMS, PLAIN_FORMS
from support.differential.fragments import Choices, Fragment, Technique
from support.differential.orders import ORDERS
from support.differential.splits import SPLITS
from support.differential.styles import STYLES
from support.differential.texts import PROTECTED, traditional

WRAPPERS = (*STYLES, *ATTRIBUTES)
TECHNIQUES = (*FORMS, *ORDERS, *WEB_FONTS, *SPLITS, *WRAPPERS, *CARRIERS)
NAMED = {technique.name: technique for technique in TECHNIQUES}
_FORM_NAMES = {form.name for form in (*FORMS, *ORDERS, *WEB_FONTS)}
_PLAIN_NAMES = {form.name for form in PLAIN_FORMS}
_SHOWN = (0, 5)  # paragraphs that a page of one technique shows
Pick = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to make a page.

    Attributes:
        parts: of the protected text: first paragraph, paragraph after the last, names of the
            techniques, a form first.
        shell: how the document is put together.
        coding: how it is encoded.
        decoy: the content next to the text.
        seed: of the variants of techniques.
        is_sheet_in_body: the rules are in the body.
    """

    parts: tuple[tuple[int, int, tuple[str, ...]], ...]
    shell: str = "html"
    coding: str = "utf-8"
    decoy: str = "before"
    seed: int = 1
    is_sheet_in_body: bool = False


def _fragment(paragraphs: Sequence[str], names: Sequence[str], choices: Choices) -> Fragment:
    form, *changes = (NAMED[name] for name in names)
    fragment = form(paragraphs, choices)
    for change in changes:
        fragment = change(fragment, choices)
    return fragment


def page_of(recipe: Recipe) -> HostilePage:
    """Return the page of a recipe."""
    choices = Choices(random.Random(recipe.seed).choice)
    is_traditional = (UTF8 if recipe.shell in XML_SHELLS else CODINGS[recipe.coding]).is_traditional
    text = [traditional(paragraph) if is_traditional else paragraph for paragraph in PROTECTED]
    return assembled(
        [_fragment(text[start:end], names, choices) for start, end, names in recipe.parts],
        ["".join(text[start:end]) for start, end, _ in recipe.parts],
        shell=recipe.shell,
        coding=recipe.coding,
        decoy=recipe.decoy,
        is_sheet_in_body=recipe.is_sheet_in_body,
    )


def recipe_of_one(name: str, *, seed: int = 1, decoy: str = "before") -> Recipe:
    """Return the recipe of a page that is odd in one respect: a technique, a shell or a coding."""
    kind, _, rest = name.partition("-")
    names = (name,) if name in _FORM_NAMES else ("form-p", name) if name in NAMED else ("form-p",)
    recipe = Recipe(parts=((*_SHOWN, names),), seed=seed, decoy=decoy)
    if kind == "shell":
        return replace(recipe, shell=rest)
    return replace(recipe, coding=rest) if kind == "coding" else recipe


ONE_NAMES = (
    *NAMED,
    *(f"shell-{name}" for name in (*SHELLS, *XML_SHELLS)),
    *(f"coding-{name}" for name in CODINGS),
)


def _some(techniques: Sequence[Technique], most: int, pick: Pick) -> list[str]:
    return [pick(techniques).name for _ in range(pick(range(most + 1)))] if techniques else []


def _technique_names(pick: Pick, *, is_xml: bool) -> tuple[str, ...]:
    """Return the names of a form and of up to six techniques that change it."""

    def usable(techniques: Sequence[Technique]) -> list[Technique]:
        return [technique for technique in techniques if technique.is_xml or not is_xml]

    form = pick(usable(pick((PLAIN_FORMS, FORMS, FORMS, FORMS, ORDERS, WEB_FONTS)))).name
    splits = _some(usable(SPLITS), 1, pick) if form in _PLAIN_NAMES else []
    wrappers, carriers = usable(WRAPPERS), usable(CARRIERS)
    return (form, *splits, *_some(wrappers, 3, pick), *_some(carriers, 1, pick), *_some(wrappers, 1, pick))


def drawn_recipe(pick: Pick) -> Recipe:
    """Return a recipe of one to three fragments, each made by up to seven techniques, next to a decoy."""
    is_xml = pick(range(10)) == 0
    cuts = pick(((0, 5), (0, 4, 8), (3, 9), (2, 5, 11), (0, 3, 6, 9)))
    return Recipe(
        parts=tuple(
            (start, end, _technique_names(pick, is_xml=is_xml)) for start, end in itertools.pairwise(cuts)
        ),
        shell=pick(sorted(XML_SHELLS) if is_xml else ["html"] * 12 + sorted(SHELLS)),
        coding="utf-8" if is_xml else pick(["utf-8"] * 30 + sorted(CODINGS)),
        decoy=pick(sorted(DECOYS)),
        seed=pick(range(1_000)),
        is_sheet_in_body=pick((False, True)),
    )


@strategies.composite
def recipes(draw: Any) -> Recipe:
    """Draw recipes of hostile pages."""
    return drawn_recipe(lambda values: draw(strategies.sampled_from(values)))


def simpler_recipes(recipe: Recipe) -> list[Recipe]:
    """Return the recipes with one thing less, for finding what of a page that fails is needed."""
    found = [replace(recipe, parts=(part,)) for part in recipe.parts if len(recipe.parts) > 1]
    for place, (start, end, names) in enumerate(recipe.parts):
        shorter = [(names[:at] + names[at + 1 :]) for at in range(1, len(names))]
        if names[0] != "form-p":
            shorter.append(("form-p", *names[1:]))
        for left in shorter:
            parts = (*recipe.parts[:place], (start, end, left), *recipe.parts[place + 1 :])
            found.append(replace(recipe, parts=parts))
    plain = {"shell": "html", "coding": "utf-8", "decoy": "none", "is_sheet_in_body": False}
    found += [
        replace(recipe, **{name: value}) for name, value in plain.items() if getattr(recipe, name) != value
    ]
    return found


def simplest(recipe: Recipe, fails: Callable[[Recipe], bool]) -> Recipe:
    """Return a recipe that still fails and none of whose simpler ones does."""
    while smaller := next((other for other in simpler_recipes(recipe) if fails(other)), None):
        recipe = smaller
    return recipe
