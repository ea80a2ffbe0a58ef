"""A crawl for pages in one language, of a site that has each page in three, over HTTP on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from tests.live.small_sites import File, small_site

from lycosa.cli.group import lycosa
from lycosa.crawls.folder import CrawlFolder

LANGUAGES = ("de", "en", "fr")
TOPICS = ("webs", "eggs", "legs")


def site() -> dict[str, File]:
    """The start page is in German. Each page links to all pages of all languages."""
    links = "".join(f"<p><a href=/{each}/{topic}>Spider</a>" for each in LANGUAGES for topic in TOPICS)
    files = {"/": File(f"<title>Spider</title><p>Die Spinne und ihre Beine: ein Spider.{links}".encode())}
    for topic in TOPICS:
        named = "".join(f"<link rel=alternate hreflang={each} href=/{each}/{topic}>" for each in LANGUAGES)
        for each in LANGUAGES:
            files[f"/{each}/{topic}"] = File(
                f"<title>Spider {topic}</title>{named}<p>Spider {each}.".encode()
            )
    return files


def test_copies_in_other_languages_are_not_fetched_after_a_restart_either(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(lycosa, [*arguments])
        assert result.exit_code == 0, result.output
        return result.output

    def told(url: str) -> str:
        return str(json.loads(run("why", str(tmp_path / "crawl"), url, "--json"))["reason"])

    # The page that names its copies is a start page, so that it is read before its copies are linked to.
    seeds = [f"http://a.test/de/{topic}" for topic in TOPICS] + ["http://a.test/fr/eggs"]
    with small_site(site()) as (address, asked):
        options = [
            "--delay",
            "0",
            "--quiet",
            "--connect-to",
            f"*:80:{address}",
            "--strategy",
            "breadth-first",
        ]
        run(
            "crawl",
            "spider",
            *seeds,
            "-o",
            str(tmp_path / "crawl"),
            *options,
            "--language",
            "de",
            "--pages",
            "4",
        )
        run("add", str(tmp_path / "crawl"), "http://a.test/")
        run("resume", str(tmp_path / "crawl"), "--pages", "+10", "--quiet")
        assert sorted(set(asked) - {"/robots.txt"}) == ["/", "/de/eggs", "/de/legs", "/de/webs", "/fr/eggs"]
        assert told("http://a.test/en/legs").endswith(
            "http://a.test/de/legs names it as its copy in en (hreflang); pages in de are wanted"
        )
        asked.clear()
        everything = [*options, "--pages", "20"]
        run("crawl", "spider", *seeds, "http://a.test/", "-o", str(tmp_path / "all"), *everything)
        assert len(set(asked) - {"/robots.txt"}) == 10, "without a language nothing is left out"
    with CrawlFolder.open(tmp_path / "all") as folder:
        rows = {row.url: row for row in folder.rows(text="main")}
    assert rows["http://a.test/"].alternates == ()  # type: ignore[index]
    assert "fr http://a.test/fr/legs" in rows["http://a.test/en/legs"].alternates  # type: ignore[index]
    first = {row.alternate_of for row in rows.values() if row.alternate_of is not None}
    assert len(first) == 3
    assert all(rows[url].alternate_of is None for url in first)
