"""From log files to visitors' sessions: cleaned, told apart, cut where they paused (Küçük 2009, sec. 2.1.6 to 2.4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record
from lycosa.model.url import Url, canonical, host_of, origin_of
from lycosa.scoring.links.usage import completed
from lycosa.sources.log_lines import LogHit, Unread, lines_of, read_line
from lycosa.sources.reading import Reading

TIMEOUT = Millis(30 * 60 * 1000)
"""A pause of more than this ends a session: the customary half hour."""

UNNAMED_SITE = "http://site.invalid"
"""Stands for the site of lines that name only a path, where it does not matter which site that is."""

LOOKED_AT = 10_000
"""Lines by which a log's site is guessed."""

MOST_HOSTS = 10
"""Hosts that an account names."""

_ASSET = re.compile(
    r"\.(?:gif|jpe?g|png|ico|svg|webp|avif|bmp|tiff?|css|js|mjs|map|json|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|"
    r"avi|mov|swf|zip|gz|tar|rar|exe|dmg)(?:[?;]|$)",
    re.IGNORECASE,
)
_ROBOT = re.compile(
    r"bot\b|bot/|crawl|spider|slurp|archiver|wget|curl/|libwww|python-|java/|go-http|httpclient|scrapy|headless|"
    r"monitor|feedfetcher|facebookexternalhit|lycosa",
    re.IGNORECASE,
)
_MOVED = (301, 302, 303, 307, 308)


class LogRules(Record, frozen=True, kw_only=True):
    """What of a log counts as a visitor's view of a page."""

    assets: bool = False
    """Keep images, styles, scripts, sound, programs."""
    errors: bool = False
    """Keep answers of status 400 and above."""
    redirects: bool = False
    """Keep answers that sent the visitor elsewhere: the page where they led is in the log as well."""
    robots: bool = False
    """Keep requests by known robots, and by whoever asked for robots.txt."""
    timeout: Millis = TIMEOUT
    stay: Millis | None = None
    """A longer stay on one page ends a session as well; None: no such limit."""
    cookie: str = ""
    """Name of the cookie that tells visitors apart; empty: the whole cookie field."""
    site: str = ""
    """Origin (`https://example.org`) of lines that name only a path."""


class LogAccount(Record, frozen=True, kw_only=True):
    """What became of the lines of one or several logs."""

    files: tuple[str, ...]
    lines: int
    broken: int
    first_broken: str = ""
    """File, line and what is wrong with it."""
    dropped: Mapping[str, int]
    """Lines cleaned away, by reason."""
    views: int
    urls: int
    users: int
    sessions: int
    back_steps: int
    """Views that path completion adds."""
    hosts: Mapping[str, int]
    """Views of the most viewed hosts."""
    first: Millis | None = None
    last: Millis | None = None


class _View(NamedTuple):
    at: Millis
    user: str
    url: str
    referrer: str


class LogReader:
    """Reads logs line by line, and tells at the end what sessions they hold.

    Time is linear in the lines, but for sorting views that are nearly in order; memory in the views kept.

    Invariants, each the name of a property test:

    * sessions partition the cleaned records: each view kept is in exactly one session, in the order of time.
    * nothing is lost silently: every line is a view, cleaned away, or counted as broken.
    """

    def __init__(self, rules: LogRules | None = None) -> None:
        self.rules = rules or LogRules()
        self._files: list[str] = []
        self._lines = 0
        self._broken = 0
        self._first_broken = ""
        self._dropped: Counter[str] = Counter()
        self._views: list[_View] = []
        self._robots: set[str] = set()
        self._canonical: dict[str, str] = {}

    def read(self, name: str, lines: Iterable[str | Unread], site: str = "") -> None:
        """Take in the lines of a file. Lines without a host are of `site`, else of the site that the rules name."""
        self._files.append(name)
        for number, line in enumerate(lines, 1):
            self._lines += 1
            read = read_line(line) if isinstance(line, str) else line
            problem = self._take(read, site or self.rules.site) if isinstance(read, LogHit) else read
            if problem is not None:
                self._broken += 1
                self._first_broken = self._first_broken or f"{name}, line {number}: {problem.why}"

    def _take(self, hit: LogHit, site: str) -> Unread | None:
        user = self._user(hit)
        if hit.target.partition("?")[0].endswith("/robots.txt"):
            self._robots.add(user)
        if reason := self._unwanted(hit):
            self._dropped[reason] += 1
            return None
        url = self._url(_absolute(hit, site))
        if not url:
            return Unread(f"{hit.target[:60]!r} is no address of a page")
        self._views.append(_View(hit.at, user, url, self._url(hit.referrer)))
        return None

    def _user(self, hit: LogHit) -> str:
        """The cookie, else address and browser."""
        cookie = hit.cookie
        if cookie and self.rules.cookie:
            found = re.search(rf"(?:^|[;\s]){re.escape(self.rules.cookie)}=([^;\s]*)", cookie)
            cookie = found[1] if found else ""
        return f"cookie {cookie}" if cookie else f"{hit.address} {hit.agent}"

    def _unwanted(self, hit: LogHit) -> str:
        rules = self.rules
        if hit.method != "GET":
            return "other than GET"
        if not rules.assets and _ASSET.search(hit.target):
            return "images, styles, scripts"
        if not rules.errors and hit.status >= 400:
            return "errors"
        if not rules.redirects and hit.status in _MOVED:
            return "redirects"
        return "robots" if not rules.robots and _ROBOT.search(hit.agent) else ""

    def _url(self, raw: str) -> str:
        """In canonical form; empty for what is no URL."""
        known = self._canonical.get(raw)
        if known is None:
            try:
                known = canonical(raw) if raw.startswith(("http://", "https://")) else ""
            except InputError:
                known = ""
            self._canonical[raw] = known
        return known

    def told(self) -> tuple[UsageLog, LogAccount]:
        """The sessions of all that was read, and what became of the lines."""
        dropped = Counter(self._dropped)
        views = self._views
        if not self.rules.robots:
            views = [view for view in views if view.user not in self._robots]
            if robots := len(self._views) - len(views):
                dropped["robots"] += robots
        views = sorted(views, key=lambda view: view.at)
        log = sessions_of(views, self.rules)
        account = LogAccount(
            files=tuple(self._files),
            lines=self._lines,
            broken=self._broken,
            first_broken=self._first_broken,
            dropped=dict(dropped.most_common()),
            views=len(views),
            urls=len(log.urls),
            users=len(set(log.users)),
            sessions=len(log.sessions),
            back_steps=sum(len(completed(session)) - len(session) for session in log.sessions),
            hosts=dict(Counter(host_of(Url(view.url)) for view in views).most_common(MOST_HOSTS)),
            first=views[0].at if views else None,
            last=views[-1].at if views else None,
        )
        return log, account


def sessions_of(views: Sequence[_View], rules: LogRules) -> UsageLog:
    """Views in the order of time, told apart by user and cut at pauses."""
    numbers: dict[str, int] = {}
    for view in views:
        numbers.setdefault(view.url, len(numbers))
    users: dict[str, int] = {}
    open_session: dict[int, int] = {}
    sessions: list[list[PageView]] = []
    of_user: list[int] = []
    limit = rules.timeout if rules.stay is None else min(rules.timeout, rules.stay)
    for view in views:
        user = users.setdefault(view.user, len(users))
        at = open_session.get(user)
        if at is None or view.at - sessions[at][-1].at > limit:
            open_session[user] = at = len(sessions)
            sessions.append([])
            of_user.append(user)
        referrer = numbers.get(view.referrer, -1)
        sessions[at].append(PageView(url=numbers[view.url], at=view.at, referrer=referrer))
    urls = tuple(map(Url, numbers))
    return UsageLog(urls=urls, users=tuple(of_user), sessions=tuple(map(tuple, sessions)))


def _absolute(hit: LogHit, site: str) -> str:
    if not hit.target.startswith("/"):
        return hit.target
    if not hit.host:
        return site + hit.target
    scheme = "https" if hit.host.endswith(":443") or site == f"https://{hit.host}" else "http"
    return f"{scheme}://{hit.host}{hit.target}"


def read_logs(
    files: Iterable[tuple[Path, str]], rules: LogRules | None = None
) -> tuple[UsageLog, LogAccount]:
    """Read log files, each with the site of its lines that name no host. Raises `InputError` if one cannot be read."""
    reader = LogReader(rules)
    for path, site in files:
        reader.read(str(path), lines_of(path), site)
    return reader.told()


# -- for a crawl -------------------------------------------------------------------------------------------------


async def read_usage_log(reading: Reading) -> UsageLog | None:
    """The logs that a topic names. Raises `InputError` for logs that tell of no page at all."""
    if not reading.topic.logs:
        return None
    own = list(dict.fromkeys(origin_of(url) for url in reading.seeds))
    files = [file_and_site(named, own) for named in reading.topic.logs]
    log, account = read_logs(files)
    if not log.urls:
        lines = "1 line" if account.lines == 1 else f"{account.lines:,} lines"
        raise InputError(f"{_names(account)}: no page view in {lines}{_broken(account)}")
    if account.broken:
        what = f"{account.broken:,} of {account.lines:,} lines cannot be read and were passed over"
        reading.notes.append(f"{_names(account)}: {what} ({account.first_broken})")
    hosts = dict.fromkeys(host_of(url) for url in log.urls)
    if reading.seeds and not any(host_of(url) in hosts for url in reading.seeds):
        reading.notes.append(
            f"{_names(account)}: tells of {', '.join(list(hosts)[:3])}, not of the start pages' hosts; "
            "it says nothing of the crawl until that gets there"
        )
    return log


def file_and_site(named: str, origins: Sequence[str]) -> tuple[Path, str]:
    """`FILE` or `FILE@HOST`; without a host, that of the start pages. Raises `InputError` where it is not clear."""
    path = Path(named)
    if path.exists() or "@" not in path.name:
        return path, _only(path, origins)
    name, _, host = named.rpartition("@")
    return Path(name), next((origin for origin in origins if origin.endswith(f"//{host}")), f"https://{host}")


def _only(path: Path, origins: Sequence[str]) -> str:
    if len(origins) == 1:
        return origins[0]
    first = next(_hits(path), None)
    if first is not None and first.target.startswith("/") and not first.host:
        raise InputError(
            f"log {path}: its lines name no host, and the start pages are on several; give {path}@HOST"
        )
    return ""


def likely_site(path: Path) -> str:
    """The origin that most referrers name whose paths are asked for in the log as well; empty if there is none.

    Visitors who go from page to page of a site give it away. Looks at the first `LOOKED_AT` lines.
    """
    hits = list(islice(_hits(path), LOOKED_AT))
    asked = {hit.target for hit in hits}
    named: Counter[str] = Counter()
    for hit in hits:
        scheme, _, rest = hit.referrer.partition("://")
        host, slash, way = rest.partition("/")
        if slash and scheme in ("http", "https") and slash + way in asked:
            named[f"{scheme}://{host}"] += 1
    return named.most_common(1)[0][0] if named else ""


def _hits(path: Path) -> Iterator[LogHit]:
    for line in lines_of(path):
        if isinstance(line, str) and isinstance(hit := read_line(line), LogHit):
            yield hit


def _names(account: LogAccount) -> str:
    return f"log {', '.join(Path(name).name for name in account.files)}"


def _broken(account: LogAccount) -> str:
    return f", {account.broken:,} cannot be read ({account.first_broken})" if account.broken else ""
