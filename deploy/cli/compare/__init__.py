"""Commands: try methods on texts: compare two texts, find near-duplicates, measure statistics."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

MEASURE: Group = {
    "letters": Command("measure", N_("Measure how often each pinyin initial occurs: the reference of DNA.")),
    "words": Command("measure", N_("Count in how many texts each word occurs: the weights of words.")),
}
