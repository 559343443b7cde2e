"""``pindna report``: the next report of a scope marks what is new since this one."""

from support.commands_that_act import Act

ACTS = (Act("report", ("--format", "json", "--output", "report.json")),)
READS = ()
