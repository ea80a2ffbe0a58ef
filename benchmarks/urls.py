"""CPU time of what every link pays for: canonical form, archive key, scope, traps, link rot, second names, robots.txt.

    LYCOSA_SHARED=… python benchmarks/urls.py

prints microseconds a call, the least of five rounds, over the distinct URLs of the recorded webs. Without
LYCOSA_SHARED it takes made-up ones.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.link_rot import LinkRot
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.model.records import Failure, Reason, Request, UrlState
from lycosa.model.url import Url, canonical, page_id, surt
from lycosa.web.robots import Robots

ROBOTS = "\n".join(
    ["User-agent: *", *(f"Disallow: /private{n}/" for n in range(30)), "Disallow: /*?sort=", "Allow: /*.pdf$"]
)


def recorded() -> list[str]:
    webs = Path(os.environ.get("LYCOSA_SHARED", "")) / "webs"
    lines = [
        line for index in sorted(webs.glob("*/web.cdxj")) for line in index.read_text("utf-8").splitlines()
    ]
    return [json.loads(line.split(" ", 2)[2])["url"] for line in lines]


def microseconds(work: Callable[[str], object], urls: Sequence[str], rounds: int = 5) -> float:
    least = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for url in urls:
            work(url)
        least = min(least, time.process_time() - started)
    return least / len(urls) * 1e6


def main() -> None:
    raw = recorded() or [f"http://www{n % 50}.example.org/dir{n % 7}/Page_{n}.html" for n in range(20_000)]
    urls = [canonical(url) for url in raw]
    traps, aliases, robots = Traps(), Aliases(), Robots.parse(ROBOTS.encode())
    everywhere = Scope()
    narrow = Scope(domains=("uci.edu", "example.org"), max_depth=9, exclude=(r"\.(?:zip|exe)$",))

    def trap(url: str) -> None:
        if traps.refuses(Url(url)) is None:
            traps.admit(Url(url))

    rot = LinkRot()
    for number, url in enumerate(urls[::10]):
        request = Request(url=Url(url), order=number, depth=1)
        rot.seen(Failure(request=request, reason=Reason.DNS if number % 3 else Reason.ALIAS), None)
    living = LinkRot()

    def alias(url: str) -> None:
        if aliases.first_name(Url(url), lambda url: UrlState.PENDING) is None:
            aliases.admit(Url(url))

    plain = [url for url in urls if "?" not in url]
    rows: list[tuple[str, Callable[[str], object], Sequence[str]]] = [
        ("canonical, absolute", canonical, raw),
        ("canonical, relative", lambda url: canonical("../x/Page.html", url), urls),
        ("surt", surt, urls),
        ("page_id", lambda url: page_id(Url(url)), urls),
        ("scope, empty", lambda url: everywhere.refuses(Url(url), 3), urls),
        ("scope, domains and a pattern", lambda url: narrow.refuses(Url(url), 3), urls),
        ("traps, no query", trap, plain),
        ("traps, all", trap, urls),
        ("link rot, nothing dead", lambda url: living.factor(Url(url)), urls),
        ("link rot, on hosts with dead links", lambda url: rot.factor(Url(url)), urls),
        ("second names, no query", alias, plain),
        ("second names, all", alias, urls),
        ("robots, 32 rules", lambda url: robots.allowed("lycosa", url), urls),
    ]
    print(f"{len(urls):,} URLs, {len(plain):,} without a query; µs of CPU a call")
    for name, work, given in rows:
        print(f"{name:35} {microseconds(work, given):6.2f}")


if __name__ == "__main__":
    main()
