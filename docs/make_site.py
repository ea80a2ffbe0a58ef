"""Makes the manual into a site, in `build/site`. Run it from anywhere; it needs no network:

    python docs/make_site.py

Pages are written for those who read them in the repository. For the site a copy is made in which links that lead out
of `docs` go to copies of what they lead to, and marks for the tests are taken off the code blocks. Zensical (`pip
install 'lycosa[docs]'`) builds it strictly: a link that leads nowhere ends it. The site works without a server too,
search included.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from os.path import relpath
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
BESIDE = "project"
"""The folder of the site for what lies outside of `docs`."""
LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s#:]+)(?=[#)])")
FENCE = re.compile(r"^```(?P<kind>\w+) (?P<about>[^\n]+)$", re.MULTILINE)
LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc="https?:[^"]*"|<link[^>]*\shref="https?:[^"]*[^>]*>"""
)
SHOWN = (".md", ".svg", ".png")
SHIM = "https://unpkg.com/iframe-worker/shim"
"""The theme would load this from another host on every page; the site has its own copy."""


def place(file: Path) -> Path:
    """Where a file of the project lies in the copy, from its top."""
    return file.relative_to(DOCS) if file.is_relative_to(DOCS) else BESIDE / file.relative_to(ROOT)


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    return {(page.parent / m["target"]).resolve() for m in LINK.finditer(page.read_text(encoding="utf-8"))}


def for_the_site(page: Path) -> str:
    """The text of a page, with links and code blocks as the site needs them."""

    def link(match: re.Match[str]) -> str:
        return relpath(place((page.parent / match["target"]).resolve()), place(page).parent)

    def fence(match: re.Match[str]) -> str:
        name = match["about"] if "." in match["about"] or match["about"] == "output" else ""
        return f"```{match['kind']}" + (f' title="{name}"' if name else "")

    return FENCE.sub(fence, LINK.sub(link, page.read_text(encoding="utf-8")))


def wanted() -> set[Path]:
    """All of `docs`, and all that can be reached from there by links."""
    seen: set[Path] = set()
    waiting = {file for file in DOCS.rglob("*") if file.suffix in SHOWN}
    while waiting:
        file = waiting.pop()
        seen.add(file)
        if file.suffix == ".md":
            waiting |= {found for found in linked(file) if found.is_file()} - seen
    return seen


def bring_home() -> None:
    """Let the pages of the site load nothing from another host."""
    own = Path(shutil.copy(DOCS / "site" / "iframe-worker.js", SITE / "assets" / "javascripts"))
    for page in SITE.rglob("*.html"):
        text = page.read_text(encoding="utf-8").replace(SHIM, relpath(own, page.parent))
        if foreign := LOADED.search(text):
            raise SystemExit(f"{page.relative_to(ROOT)} loads {foreign[0]} from another host")
        page.write_text(text, encoding="utf-8")


def main() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    for file in wanted():
        copy = PAGES / place(file)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            copy.write_text(for_the_site(file), encoding="utf-8")
        else:
            shutil.copy(file, copy)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    if subprocess.run([*command, "--config-file", ROOT / "zensical.toml"], cwd=ROOT, check=False).returncode:
        raise SystemExit("the site was not built; its pages are copies of those in docs: mend them there")
    bring_home()
    sys.stdout.write(f"wrote {(SITE / 'index.html').relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
