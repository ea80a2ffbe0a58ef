"""Which pages of the recorded webs are taken for none, to be looked at one by one.

    LYCOSA_SHARED=… python benchmarks/soft_errors.py [WEB]...

Pages come in the order of the recording, each as if a link had led there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from msgspec.structs import replace

from lycosa.crawl.soft_errors import SoftErrors
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Request
from lycosa.report.wording import clean, cut

WEBS = ("boost-www", "webkb", "uci-ics-10k", "wikispeedia")


def taken(web: LabWeb) -> list[str]:
    """A line for each page that is taken for none."""
    soft, lines = SoftErrors(), []
    for number, url in enumerate(web.urls):
        request = Request(url=url, order=number, depth=1)
        page = replace(web.page(number), request=request, final_url=url)
        if found := soft.nothing_new(page):
            reason, detail = found
            lines.append(f"  {url}\n    {reason.value}: {clean(detail)}\n    {cut(clean(page.text), 160)}")
        else:
            soft.seen(page)
    return lines


def main() -> None:
    if "LYCOSA_SHARED" not in os.environ:
        sys.exit("LYCOSA_SHARED is not set: this needs the recorded webs")
    for name in sys.argv[1:] or WEBS:
        web = open_web([Path(os.environ["LYCOSA_SHARED"]) / "webs" / name])
        lines = taken(web)
        print(f"{name}: {len(lines)} of {len(web):,} pages", *lines, sep="\n")


if __name__ == "__main__":
    main()
