"""Whole crawls of several nodes, in which hosts move to those that they are like."""

from __future__ import annotations

from functools import cache

import numpy as np

from lycosa.lab.sharing.figures import figures
from lycosa.lab.sharing.ground import Ground, generated_ground
from lycosa.lab.sharing.light import Rates, Shared
from lycosa.lab.sharing.whole import run_whole
from lycosa.lab.webs.generated import Generated

NODES = 4


@cache
def ground() -> Ground:
    shape = Generated(pages=1_200, hosts=60, parents=4, leaves=1, failures=0.0, redirects=0.0)
    return generated_ground(shape.web())


@cache
def crawled(name: str) -> Shared:
    """To the end, from one page of each topic."""
    starts = [[int(np.flatnonzero(ground().classes == topic)[0])] for topic in range(4)]
    known = [page for pages in starts for page in pages]
    return run_whole(ground(), name, NODES, Rates(), [known, *([[]] * (NODES - 1))])


def downloads(name: str) -> list[int]:
    return sorted(np.concatenate(crawled(name).downloads).tolist())


def test_each_page_is_fetched_once_and_none_is_lost() -> None:
    assert downloads("alike") == downloads("host")
    assert len(set(downloads("alike"))) == len(downloads("alike"))


def test_each_page_is_kept_once() -> None:
    assert sorted(np.concatenate(crawled("alike").kept).tolist()) == downloads("alike")


def test_a_page_a_host_is_sent_at_most() -> None:
    hosts = len(np.unique(ground().hosts))
    sent = sum(volumes.exported.pages for volumes in crawled("alike").volumes)
    assert 0 < sent <= hosts


def test_what_is_about_the_same_comes_together() -> None:
    alike, host = (figures(ground(), crawled(name)).values for name in ("alike", "host"))
    assert alike["locality"] > host["locality"] + 0.05
    assert alike["tau"] > host["tau"]


def test_the_same_crawl_every_time() -> None:
    before = crawled("alike")
    crawled.cache_clear()
    assert all(
        one.tolist() == other.tolist()
        for one, other in zip(before.downloads, crawled("alike").downloads, strict=True)
    )
