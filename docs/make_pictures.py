"""Makes the pictures of the README from a real crawl. Run it from anywhere; it needs Chromium:

    python docs/make_pictures.py

It runs `examples/demo.sh` in a pseudo-terminal, keeps the display as it stands after some sixty pages as an SVG, and
takes pictures of the page and of the report with a browser.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

DOCS = Path(__file__).parent
ROOT = DOCS.parent
IMAGES = DOCS / "images"
COLUMNS, LINES = 100, 24
WANTED = re.compile(r"\b6\d of 100 pages")
FRAME = re.compile(r"(?:\r|\x1b\[2K|\x1b\[1A|\x1b\[\?25[lh])+")
"""What the display writes to go back to its first line, before it is drawn again."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PORT, START = "8098", "http://schools.wiki.example/wp/Biosphere.html"
"""Of the sample web for the picture of the page."""
QUIET = [
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    *(f"--disable-{what}" for what in ("gpu", "quic", "background-networking", "component-update", "sync")),
    "--no-first-run",
]


def terminal_output() -> str:
    """Everything that the demo writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(
            TERM="xterm-256color", COLORTERM="truecolor", COLUMNS=str(COLUMNS), LINES=str(LINES)
        )
        os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        os.execvp("sh", ["sh", str(ROOT / "examples" / "demo.sh")])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        written += piece
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(written.decode(errors="replace"))
    return written.decode()


def frame(written: str) -> str:
    """The first picture of the live display in which some sixty pages were fetched."""
    frames = [part for part in FRAME.split(written.replace("\r\n", "\n")) if WANTED.search(part)]
    if not frames:
        raise SystemExit("the live display never showed 60 to 69 pages; was the terminal taken for a pipe?")
    return frames[0]


def as_svg(shown: str) -> str:
    """A terminal's window, without fonts from elsewhere."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text.from_ansi(shown.rstrip("\n")), soft_wrap=True)
        drawn = console.export_svg(title="make demo", theme=MONOKAI, unique_id="live")
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    drawn = drawn.replace("#625e4c", "#948f7c")  # the theme's grey is hardly legible at the size of a README
    drawn = re.sub(r"<!--.*?-->", "", drawn)
    return drawn.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas").rstrip() + "\n"


def picture_of(page: Path, path: Path, width: int, height: int) -> None:
    """What a browser shows of a page."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"{path.name} was not made: none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as profile:
        size = [f"--window-size={width},{height}", f"--screenshot={path}", f"--user-data-dir={profile}"]
        subprocess.run(
            [browser, *QUIET, *size, page.resolve().as_uri()], check=True, capture_output=True, timeout=60
        )


def console_picture(path: Path) -> None:
    """What the page shows of a crawl of the sample web that goes on, over HTTP and politely."""
    from playwright.sync_api import sync_playwright

    from lycosa.console.running import Server
    from lycosa.library.library import Library

    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    lycosa = [sys.executable, "-m", "lycosa.cli"]
    with tempfile.TemporaryDirectory() as place:
        web = [*lycosa, "web", "serve", str(ROOT / "examples" / "sample-web"), "--port", PORT]
        crawl = [*lycosa, "crawl", "dinosaur fossil", START, "--pages", "250", "--delay", "0.15"]
        crawl += ["--connect-to", f"*:80:127.0.0.1:{PORT}", "--out", f"{place}/dinosaurs", "--quiet"]
        serving = subprocess.Popen(web, stdout=subprocess.DEVNULL)
        time.sleep(3)
        crawling = subprocess.Popen(crawl)
        try:
            time.sleep(8)
            with Server(Library([Path(place)]), port=0).beside() as address, sync_playwright() as playwright:
                page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page(
                    viewport={"width": 1200, "height": 900}
                )
                page.goto(address.at("/crawls/dinosaurs"))
                time.sleep(8)
                page.screenshot(path=path)
        finally:
            for process in (crawling, serving):
                process.terminate()
                process.wait()


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    console_picture(IMAGES / "console.png")
    (IMAGES / "live.svg").write_text(as_svg(frame(terminal_output())), encoding="utf-8")
    picture_of(ROOT / "demo-crawl" / "report.html", IMAGES / "report.png", 1000, 1240)
    sys.stdout.write("wrote docs/images/live.svg, console.png and report.png\n")


if __name__ == "__main__":
    main()
