"""The one place where a crawl is put together from its specification."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from lycosa import __version__
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Clock, Web
from lycosa.crawl.scope import Scope
from lycosa.crawl.topic import TopicModel
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock, WallClock
from lycosa.drive.simulated import Latency
from lycosa.drive.visit import Robots, Visitor
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.registry import strategy
from lycosa.spec import CrawlSpec, FetchSpec, PolitenessSpec, ScopeSpec, TrapSpec
