"""What a crawl's folder tells of second names: `why` and `status`, after a crawl and after a resume."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from tests.unit.test_aliases import text_of
from tests.worlds import html, response

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.cli.group import lycosa as cli
from lycosa.model.url import Url

START = "http://a.example/"


def record(folder: Path) -> Path:
    """Three articles under names with and without an extension; the third one's other name is linked to last."""
    texts = {START: 0, **{f"{START}{n}{end}": 1 + n for n in range(3) for end in ("", ".php")}}
    texts |= {"http://b.example/": 9, "http://c.example/": 9}
    first = [f"{START}{n}{end}" for n in range(2) for end in ("", ".php")]
    links = {START: [*first, f"{START}2"], f"{START}2": [f"{START}2.php", "http://b.example/"]}
    links["http://b.example/"] = links["http://c.example/"] = ["http://c.example/", "https://a.example/1"]
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for url, number in texts.items():
        archive.write(response(Url(url), html(text_of(number), map(Url, links.get(url, ())))))
    archive.close()
    return folder


def test_why_and_status_tell_of_second_names(tmp_path: Path) -> None:
    web, out = record(tmp_path / "web"), tmp_path / "c"
    lycosa.crawl("wolves", [START], web=f"recorded:{web}", pages=2, out=out, strategy="breadth-first").close()
    lycosa.resume(out, pages=99).close()  # what was learned is restored
    with lycosa.open(out) as folder:
        assert [row.url for row in folder.rows(text=False)] == [
            START,
            *(f"{START}{n}" for n in range(3)),
            "http://b.example/",
        ]
        told = folder.why(f"{START}2.php")
        assert (told.state, told.reason) == ("alias", f"the crawl has it as {START}2")
        told = folder.why("http://c.example/")
        assert told.state == "alias"
        assert told.reason.endswith("is a page that the crawl has by another name (http://b.example/)")
        status = folder.status()
        assert status.failures_by_reason == {"alias": 3}
        assert status.facts["links to second names"] == 2
        assert status.facts["names of one page"] == [
            {"site": "a.example", "no difference": {"file extension": 2}}
        ]
    said = CliRunner().invoke(cli, ["status", str(out)]).output
    assert "no difference file extension 2" in said


def test_each_name_is_a_page_where_that_is_wished(tmp_path: Path) -> None:
    web, out = record(tmp_path / "web"), tmp_path / "c"
    lycosa.crawl("wolves", [START], web=f"recorded:{web}", pages=1, out=out, strategy="breadth-first").close()
    settings = out / "crawl.toml"
    settings.write_text(settings.read_text("utf-8").replace("aliases = true", "aliases = false"), "utf-8")
    lycosa.resume(out, pages=99).close()
    with lycosa.open(out) as folder:
        assert folder.status().pages == 10
        assert "names of one page" not in folder.status().facts
