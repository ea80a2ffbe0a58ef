"""All that the author of a strategy needs, in one import: `from lycosa.strategy import Strategy, View, Enqueue, Page`.

What is told to a strategy, what it may answer, what it may ask for, and what it may be put around. These names are
promised; where they are defined is not.
"""

from lycosa.crawl.inputs import Examples, Input, Ontology, Query, Taxonomy, UsageLog
from lycosa.crawl.members import Find, Member
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request, UrlState, Visit
from lycosa.model.url import Host, Url, host_of
from lycosa.strategies.parts.ledger import links_out
from lycosa.strategies.wrappers.wrapper import StrategyWrapper

__all__ = [
    "Command",
    "Enqueue",
    "Examples",
    "Failure",
    "Find",
    "Forget",
    "Grant",
    "Host",
    "Input",
    "InputError",
    "Link",
    "Member",
    "Memory",
    "Millis",
    "Ontology",
    "Page",
    "Query",
    "Reason",
    "Reprioritize",
    "Request",
    "Stop",
    "Strategy",
    "StrategyWrapper",
    "Taxonomy",
    "Url",
    "UrlState",
    "UsageLog",
    "View",
    "Visit",
    "host_of",
    "links_out",
]
