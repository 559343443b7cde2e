"""Labels of matches: verdicts, disguises, licences, dates, reviews, and kinds of changes."""

from collections.abc import Mapping

from analysis.words.i18n import N_
from fingerprint.text.disguises import Disguise
from storage.records import LicenceState, Precedence, ReviewName, Verdict

VERDICTS: Mapping[Verdict, str] = {
    "copy": N_("Copy"),
    "partial": N_("Partial copy"),
    "reworded": N_("Possibly reworded"),
    "licensed": N_("Licensed"),
    "quote": N_("Quotation"),
    "common": N_("Common text"),
    "clear": N_("Nothing found"),
}
DISGUISES: Mapping[Disguise, str] = {
    "homophones": N_("Homophones"),
    "traditional": N_("Traditional or variant characters"),
    "noise": N_("Inserted noise"),
    "pinyin": N_("Pinyin instead of or next to characters"),
    "doubled": N_("Characters or words written several times"),
    "reversed": N_("Written backwards"),
    "columns": N_("Written in columns"),
    "slogans": N_("Inserted slogans"),
    "shuffled": N_("Shuffled order"),
    "components": N_("Characters split into their parts"),
    "edited": N_("Edited characters"),
}
LICENCES: Mapping[LicenceState, str] = {
    "licensed": N_("Licensed"),
    "not-begun": N_("The licence had not begun"),
    "expired": N_("The licence has expired"),
    "no-attribution": N_("Published without the attribution that the licence asks for"),
    "beyond-licence": N_("More than the licence allows"),
}
PRECEDENCES: Mapping[Precedence, str] = {
    "": N_("The page is older than the work: the copying may have gone the other way."),
    "claimed-date": N_(
        "By the date on the page, the page is older than the work: the copying may have gone the other way."
    ),
    "first-sight": N_(
        "By the first sight of pindna, the page is older than the work: the copying may have "
        "gone the other way."
    ),
}
DATES: Mapping[Precedence, str] = {
    "claimed-date": N_("the date on it"),
    "first-sight": N_("first sight by pindna"),
}
REVIEWS: Mapping[ReviewName, str] = {
    "open": N_("Open"),
    "confirmed": N_("Confirmed"),
    "dismissed": N_("Dismissed"),
    "doubtful": N_("Doubtful"),
}
NO_TEXT = {
    "gone": N_("The page or the passage is no longer stored, so the texts cannot be shown."),
    "changed": N_("The passage was changed after the comparison, so the texts cannot be shown."),
    "limit": N_(
        "Only the most serious matches are shown with their texts. For others, create a "
        "report for this work or site."
    ),
}
CHANGES = {
    "homophone": N_("Other character, same syllable"),
    "near": N_("Other character, near syllable (z and zh, n and l …)"),
    "variant": N_("Traditional or variant form"),
    "latin": N_("Latin letters instead of a character: its syllable, a near syllable, or its initial"),
    "replaced": N_("Other character"),
    "inserted": N_("Only on the page"),
    "deleted": N_("Only in the work"),
}
# Disguises for which changes are not marked, with the reasons.
REORDERED: Mapping[Disguise, str] = {
    "reversed": N_(
        "The text of this page is written backwards. It is compared in reading order, so nothing is marked."
    ),
    "columns": N_(
        "The text of this page is written in columns. It is compared in reading order, so nothing is marked."
    ),
}
# A character with its syllable: examples for the legend of the side-by-side view.
SYLLABLES = {"homophone": ("清", "qīng"), "near": ("四", "sì")}
# Thresholds of a profile that charts show.
THRESHOLDS = {"partial_coverage": N_("partial copy threshold"), "copy_coverage": N_("copy threshold")}
STEPS = {"day": N_("day"), "week": N_("week"), "month": N_("month"), "year": N_("year")}
