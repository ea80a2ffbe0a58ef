"""A crawl folder to look at: what happened, why, and what was found. Also while another process writes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec

from lycosa import build
from lycosa.account import Explanation, Hit, PageRow, Status, Waypoint
from lycosa.crawl.gate import Gate
from lycosa.crawl.topic import TopicModel
from lycosa.model.commands import Enqueue
from lycosa.model.errors import FolderError
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request, UrlState
from lycosa.model.url import Url, canonical
from lycosa.paths import Paths
from lycosa.spec import CrawlSpec, load

INDEX_BATCH = 256
