"""Pages that are hardly there without their scripts are recognised, and told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from tests.worlds import html, response, u

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.cli.group import lycosa as commands
from lycosa.model.records import Millis
from lycosa.read.html import read

SHELL = "<title>App</title><div id=root></div><script src=/main.js></script>"
ASKS = "<p>Menu</p><noscript>You need to enable JavaScript to run this app.</noscript><script src=a></script>"
PROSE = "wolf spiders hunt by night and wait " * 5


@pytest.mark.parametrize(
    ("markup", "needed"),
    [
        (SHELL, True),
        (ASKS, True),
        ("<script>location = '/x'</script>", True),
        ("<app-root> </app-root><script></script><p>Loading", True),
        (f"<p>{PROSE}</p>{ASKS}", False),
        (f"<div id=root><p>{PROSE}</p></div><script></script>", False),
        ("<div id=root>Hello</div><script src=/stats.js></script>", False),
        ("<p>Hello</p><script src=/stats.js></script><noscript><img src=x></noscript>", False),
        ("<div id=root></div>", False),
        ("", False),
    ],
)
def test_pages_that_are_made_by_scripts(markup: str, needed: bool) -> None:
    assert read(markup.encode(), "http://a.test/").needs_script is needed


def test_the_summary_and_why_tell_of_them(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path / "web", Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for answer in (response(u("a"), html(PROSE, [u("b")])), response(u("b"), SHELL.encode())):
        archive.write(replace(answer, fetched_at=Millis(1_000)))
    archive.close()
    place = tmp_path / "crawl"
    options = ("--web", f"recorded:{tmp_path / 'web'}", "--out", str(place))
    told = CliRunner().invoke(commands, ["crawl", "wolf spiders", u("a"), *options])
    assert "1 page had hardly any text: made by JavaScript, which --render auto runs." in told.output
    with lycosa.open(place) as folder:
        assert "made by JavaScript" in folder.why(u("b")).reason
        assert "made by JavaScript" not in folder.why(u("a")).reason
