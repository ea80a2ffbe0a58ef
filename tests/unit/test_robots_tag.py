"""X-Robots-Tag."""

from __future__ import annotations

import pytest

from lycosa.read.robots_tag import RobotsTag


@pytest.mark.parametrize(
    ("headers", "noindex", "nofollow"),
    [
        ([], False, False),
        (["noindex"], True, False),
        (["NoIndex, NoFollow"], True, True),
        (["none"], True, True),
        (["noarchive", "nofollow"], False, True),
        (["otherbot: noindex, nofollow"], False, False),
        (["lycosa: nofollow"], False, True),
        (["otherbot: noindex", "nofollow"], False, True),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], True, False),
    ],
)
def test_directives(headers: list[str], noindex: bool, nofollow: bool) -> None:
    tag = RobotsTag.of(headers)
    assert (tag.noindex, tag.nofollow) == (noindex, nofollow)


def test_all_that_was_asked_of_us() -> None:
    tag = RobotsTag.of(["noai, NoArchive", "otherbot: noindex, none", "max-snippet: 20, noai"])
    assert tag.asked == ("noai", "noarchive", "max-snippet: 20")
