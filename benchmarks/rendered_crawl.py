"""What a browser brings a crawl, and what it costs: never, where it pays, and always, on the same made-up sites.

Over loopback: hosts of pages that need no browser, hosts of pages that are empty without one, hosts of pages with text
and scripts that bring nothing, and hosts whose scripts bring half of the links. Half of all pages are about the topic,
and there are twice as many pages as a crawl may fetch. Each crawl runs in a process of its own. Its CPU time has that
of the browser in it; the server's is left out.

    python -m benchmarks.rendered_crawl > benchmarks/results/rendered-crawl.md
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import begin
from lycosa.drive.loop import unwatched
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Response
from lycosa.model.url import Url, host_of
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, RenderSpec, TopicSpec
from lycosa.web.serve import Served

KINDS = {
    "plain": "no scripts",
    "app": "empty without scripts",
    "idle": "scripts bring nothing",
    "half": "half of the links",
}
HOSTS, PAGES, LINKS, BUDGET = 4, 30, 8, 240
DELAY = 1.0
"""Seconds between two requests to a host, as by default."""
WAYS = ("never", "auto", "always")
SAID = (
    "the water that rises there and falls again was seen by many who wrote of it in letters and long reports"
)
SCRIPT = """const say = it => document.body.insertAdjacentHTML("beforeend", it.html);
if (document.body.dataset.more) fetch("/data" + location.pathname).then(r => r.json()).then(say);"""


class Sites:
    """Sixteen hosts of thirty pages; what is on a page follows from its URL alone."""

    def __init__(self) -> None:
        self.hosts = [f"{kind}{number}.test" for kind in KINDS for number in range(HOSTS)]
        self.asked: Counter[str] = Counter()

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        host, path = host_of(url), url.split("/", 3)[3]
        self.asked[path.partition("/")[0] if "/" in path or "." in path else "page"] += 1
        number = path.rpartition("/")[2]
        if path == "app.js":
            return _answer(url, SCRIPT, "text/javascript")
        if not number.isdigit() or int(number) >= PAGES:
            return _answer(url, "", "text/plain", 404)
        now, later = self._parts(host, int(number))
        if path.startswith("data/"):
            return _answer(url, json.dumps({"html": later}), "application/json")
        script = "" if host.startswith("plain") else '<script src="/app.js" defer></script>'
        more = ' data-more="yes"' if later else ""
        return _answer(
            url,
            f"<!DOCTYPE html><html><head><title>{number}</title>{script}</head><body{more}>{now}</body></html>",
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _parts(self, host: str, number: int) -> tuple[str, str]:
        """What the server sends, and what scripts add."""
        chance = random.Random(f"{host}/{number}")
        about = "coral reef" if number % 2 == 0 else "steam engine"
        text = f"<p>Of the {about}. {' '.join(chance.choices(SAID.split(), k=120))} {about}.</p>"
        targets = [f"http://{host}/{chance.randrange(PAGES)}" for _ in range(LINKS // 2)]
        targets += [
            f"http://{chance.choice(self.hosts)}/{chance.randrange(PAGES)}" for _ in range(LINKS // 2)
        ]
        links = [
            f'<a href="{target}">{"coral" if int(target.rpartition("/")[2]) % 2 == 0 else "steam"}</a> '
            for target in targets
        ]
        match host[:4]:
            case "app0" | "app1" | "app2" | "app3":
                return '<div id="root"></div>', text + "".join(links)
            case "half":
                return text + "".join(links[::2]), "".join(links[1::2])
            case _:
                return text + "".join(links), ""


def _answer(url: Url, body: str, kind: str = "text/html; charset=utf-8", status: int = 200) -> Response:
    return Response(
        url=url, status=status, headers=(("Content-Type", kind),), body=body.encode(), fetched_at=Millis(0)
    )


async def crawl(port: int, when: str, folder: Path) -> None:
    """One crawl; what it took goes to standard output."""
    hosts = Sites().hosts
    spec = CrawlSpec(
        topic=TopicSpec(keywords=("coral reef",)),
        seeds=tuple(f"http://{host}/0" for host in hosts),
        pages=BUDGET,
        politeness=PolitenessSpec(delay=DELAY),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        render=RenderSpec(when=when),  # type: ignore[arg-type]
    )
    began = time.perf_counter()
    await (await begin(spec, folder)).run(unwatched)
    seconds = time.perf_counter() - began
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    with CrawlFolder.open(folder) as opened:
        status = opened.status()
        good = [row.url for row in opened.rows(text=True) if "Of the coral reef" in row.text]
    by_kind = Counter(host_of(Url(url)).partition(".")[0][:-1] for url in good)
    found = {
        "pages": status.pages,
        "relevant": len(good),
        "rendered": status.rendered.get("rendered", 0),
        "paid": status.rendered.get("paid", 0),
        "asked": status.rendered.get("asked", 0),
        "seconds": seconds,
        "own": used[0].ru_utime + used[0].ru_stime,
        "browser": used[1].ru_utime + used[1].ru_stime,
        **{f"of {kind}": by_kind[kind] for kind in KINDS},
    }
    print(json.dumps(found))


async def measured(when: str) -> dict[str, float]:
    """A crawl of its own process, against a server in this one."""
    folder = Path(tempfile.mkdtemp())
    try:
        async with Served(Sites()) as served:
            process = await asyncio.create_subprocess_exec(
                *(
                    sys.executable,
                    "-m",
                    "benchmarks.rendered_crawl",
                    when,
                    str(served.port),
                    str(folder / "crawl"),
                ),
                stdout=asyncio.subprocess.PIPE,
            )
            said, _ = await process.communicate()
        return dict(json.loads(said))
    finally:
        shutil.rmtree(folder)


def tell(found: dict[str, dict[str, float]]) -> None:
    print("# What a browser brings a crawl, and what it costs\n")
    print(
        f"`python -m benchmarks.rendered_crawl`: {HOSTS} hosts of {PAGES} pages of each of four kinds, half of them "
        f"about the topic; budget {BUDGET} pages, "
        f"{DELAY:g} s between two requests to a host, over loopback.\n"
    )
    kinds = " | ".join(f"relevant: {told}" for told in KINDS.values())
    costs = "rendered | brought more | requests of pages | seconds | CPU s, lycosa | CPU s, browser"
    print(f"| `--render` | pages | relevant | {kinds} | {costs} |")
    print("| --- |" + " ---: |" * (9 + len(KINDS) - 1))
    for when, row in found.items():
        of = " | ".join(f"{row[f'of {kind}']:.0f}" for kind in KINDS)
        print(
            f"| {when} | {row['pages']:.0f} | {row['relevant']:.0f} | {of} | {row['rendered']:.0f} | {row['paid']:.0f} "
            f"| {row['asked']:.0f} | {row['seconds']:.1f} | {row['own']:.1f} | {row['browser']:.1f} |"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(crawl(int(sys.argv[2]), sys.argv[1], Path(sys.argv[3])))
    else:
        tell({when: asyncio.run(measured(when)) for when in WAYS})
