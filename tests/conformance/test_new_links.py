"""Every strategy follows the links that a page shows when it is visited again: how else would a feed bring news?"""

from __future__ import annotations

import pytest
from tests.worlds import CosineTopic, lease, made_page, make_crawl, u, visited

from lycosa.lab.kit.trial_web import kit_inputs
from lycosa.model.records import Millis
from lycosa.revisit.once import Once
from lycosa.spec.registry import strategy, strategy_names

AGAIN = Millis(1_000_000)


@pytest.mark.parametrize(
    "name", [*strategy_names(), "best-first+merge", "best-first+damp-repeats", "hunter+batches"]
)
def test_new_links_of_a_page_that_changed_are_followed(name: str) -> None:
    schedule = Once(AGAIN)
    crawl = make_crawl(strategy(name, kit_inputs()), topic=CosineTopic("coral reef"), schedule=schedule)
    home, old, new = u("a"), u("a/old"), u("a/new")
    crawl.start([home], Millis(0))
    crawl.commit(made_page(lease(crawl), (old, "coral"), text="coral reef"), Millis(0))
    while (request := crawl.lease(Millis(1))) is not None:
        crawl.commit(made_page(request, text="coral reef too"), Millis(1))
    crawl.plan(AGAIN)
    now = AGAIN
    while (request := crawl.lease(now)) is not None:
        targets = [(old, "coral"), (new, "reef")] if request.url == home else []
        crawl.commit(made_page(request, *targets, text=f"coral reef again {request.url}"), now)
        now = Millis(now + 1)
    assert new in visited(crawl)
