"""What browsers made of pages, and what pages show, in words."""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.model.records import Rendering
from lycosa.report.wording import clean, counted, size


def rendered(counts: Mapping[str, int]) -> str:
    """How many pages a crawl rendered, and what came of it; empty if it renders none."""
    if not counts:
        return ""
    failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
    refused = f", {counts['refused']:,} refused" if counts["refused"] else ""
    return (
        f"{counted(counts['rendered'], 'page')}, {counts['paid']:,} brought more{failed}; "
        f"{counted(counts['asked'], 'request')}{refused}"
    )


def shown(counts: Mapping[str, int]) -> str:
    """How much of what pages show was fetched; empty if the crawl fetches nothing of the kind."""
    if not counts:
        return ""
    missing = f", {counts['missing']:,} not to be had" if counts["missing"] else ""
    files = f"{counted(counts['fetched'], 'file')} of {size(counts['bytes'])}"
    return f"{files}{missing}; all that {counted(counts['pages'], 'page')} can show"


def how(rendering: Rendering | None) -> str:
    """Whether a page was rendered, why, and what that brought; empty if the crawl renders none."""
    if rendering is None:
        return ""
    if not rendering.was_tried:
        return f"no: {clean(rendering.why)}"
    if rendering.failed:
        return f"tried ({clean(rendering.why)}), but {clean(rendering.failed)}"
    refused = f", {rendering.refused:,} refused" if rendering.refused else ""
    cut = "" if rendering.settled else ", taken before it came to rest"
    left = f", its script leads to {clean(rendering.left_for)}" if rendering.left_for else ""
    return (
        f"yes: {clean(rendering.why)}; it brought {counted(rendering.links, 'link')} and "
        f"{counted(rendering.words, 'word')} more by {counted(rendering.asked, 'request')}{refused}, "
        f"in {rendering.took / 1000:.1f} s{cut}{left}"
    )
