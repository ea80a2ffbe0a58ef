"""Who may ask, for what, and how much of it: each invariant of the guard, and of the whole server behind it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.console.browsing import crawled, served

from lycosa.console.guard import LONGEST_BODY, WRITES, Guard
from lycosa.console.running import Address
from lycosa.serving.address import is_token, names_of

JSON = {"Content-Type": "application/json"}
MARK = "/api/v1/crawls/first/marks"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("crawls")
    crawled(found / "first", 5)
    return found


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[Address]:
    with served(place) as found:
        yield found


@pytest.fixture(scope="module")
def closed(place: Path) -> Iterator[Address]:
    """A server that asks for a token."""
    with served(place, token="a secret") as found:
        yield found


@pytest.fixture
def fresh(place: Path) -> Iterator[Address]:
    """A server to which nothing was written yet."""
    with served(place) as found:
        yield found


def test_known_names_only(address: Address) -> None:
    names = ["evil.example", f"evil.example:{address.port}", f"127.0.0.1:{address.port + 1}", "127.0.0.1", ""]
    for name in [*names, f"127.0.0.1.evil.example:{address.port}", f"127.0.0.1:{address.port}@evil.example"]:
        for path in ("/", "/api/v1/crawls", "/static/console.css", "/metrics", "/healthz", "/nowhere"):
            answer = httpx.get(f"{address.origin}{path}", headers={"Host": name})
            assert answer.status_code == 421, (name, path)
            assert "first" not in answer.text
    for name in ("localhost", "LOCALHOST", "[::1]"):
        assert httpx.get(address.origin, headers={"Host": f"{name}:{address.port}"}).status_code == 200


def test_two_names_at_once_are_no_request(address: Address) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{address.port}")
    connection.putheader("Host", "evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 400


def test_no_writing_from_elsewhere(fresh: Address) -> None:
    refused = [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": ""},
        {"Origin": f"http://127.0.0.1:{fresh.port + 1}"},
        {"Origin": f"http://127.0.0.1:{fresh.port}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    for headers in refused:
        answer = httpx.post(f"{fresh.origin}{MARK}", headers=JSON | headers, content="{}")
        assert answer.status_code == 403, headers
    own = {"Origin": fresh.origin, "Sec-Fetch-Site": "same-origin"}
    assert httpx.post(f"{fresh.origin}{MARK}", headers=JSON | own, content="{}").status_code == 400
    assert httpx.get(f"{fresh.origin}{MARK}").json() == [], "nothing was marked"


def test_what_a_form_can_send_changes_nothing(fresh: Address) -> None:
    body = '{"urls": ["http://schools.wiki.example/wp/Biosphere.html"], "good": true}'
    kinds = (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/jsonx",
    )
    for kind in kinds:
        headers = {"Content-Type": kind} if kind else {}
        assert httpx.post(f"{fresh.origin}{MARK}", headers=headers, content=body).status_code == 415, kind
    assert httpx.get(f"{fresh.origin}{MARK}").json() == []
    typed = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert httpx.post(f"{fresh.origin}{MARK}", headers=typed, content=body).status_code == 200


def test_nobody_is_told_that_another_site_may_ask(address: Address) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "DELETE"}
    for method in ("OPTIONS", "GET", "HEAD"):
        answer = httpx.request(method, f"{address.origin}/api/v1/crawls", headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert httpx.options(f"{address.origin}/api/v1/crawls").status_code == 405


def test_nobody_asks_without_the_token(closed: Address) -> None:
    shown = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer another"},
        {"Authorization": "Bearer a  secret"},
        {"Authorization": "Basic a secret"},
        {"Cookie": "lycosa=a secret"},
        {"Cookie": "a]b=;;=,"},
    ]
    for path in (
        "/",
        "/api/v1/crawls",
        "/static/console.css",
        "/metrics",
        "/healthz",
        "/nowhere",
        "/?token=x",
        "/?token=",
    ):
        for headers in shown:
            answer = httpx.get(f"{closed.origin}{path}", headers=headers)
            assert answer.status_code == 401, (path, headers)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "first" not in answer.text
    assert (
        httpx.get(f"{closed.origin}/metrics", headers={"Authorization": "bearer a secret"}).status_code == 200
    )


def test_no_secret_stays_in_an_address(closed: Address) -> None:
    with httpx.Client(base_url=closed.origin) as client:
        first = client.get("/crawls?sort=x&token=a%20secret&page=2")
        assert (first.status_code, first.headers["location"]) == (303, "/crawls?sort=x&page=2")
        cookie = first.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert client.get("/").status_code == 200
        assert "a secret" not in client.get("/").text
    assert (
        httpx.post(f"{closed.origin}{MARK}?token=a%20secret", headers=JSON, content="{}").status_code == 401
    )


def test_the_token_leads_nowhere_else(closed: Address) -> None:
    for path in (
        "//evil.example/",
        "/%5cevil.example/",
        "///evil.example",
        "/\\evil.example",
        "/%0d%0aX-Evil:%20yes",
    ):
        connection = http.client.HTTPConnection("127.0.0.1", closed.port, timeout=60)
        connection._validate_path = lambda path: None  # type: ignore[attr-defined]
        connection.request("GET", f"{path}?token=a%20secret")
        answer = connection.getresponse()
        where = answer.getheader("location", "/")
        assert answer.getheader("x-evil") is None
        assert where[:1] == "/", path
        assert where[1:2] not in ("/", "\\"), path


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        asked.append((one, other))
        return one == other

    monkeypatch.setattr("lycosa.serving.address.hmac.compare_digest", compare)
    assert is_token("tokén", "tokén")
    assert not is_token("ü", "tokén")
    assert asked == [("tokén".encode(), "tokén".encode()), ("ü".encode(), "tokén".encode())]


def test_the_cookie_of_one_server_is_not_that_of_another(place: Path, closed: Address) -> None:
    def name(address: Address) -> str:
        answer = httpx.get(f"{address.origin}/?token={address.token}")
        return answer.headers["set-cookie"].partition("=")[0]

    with served(place, token="another") as other:
        assert name(other) != name(closed)
    assert name(closed) == name(closed)


def test_by_any_name_only_with_a_token() -> None:
    assert names_of("0.0.0.0", 80) == names_of("::", 80) == []
    guard = Guard(lambda scope, receive, send: None, hosts=[])  # type: ignore[arg-type, return-value]
    from starlette.datastructures import Headers

    refused = guard._refused({"path": "/", "method": "GET"}, Headers({"host": "127.0.0.1"}))
    assert refused is not None
    assert refused.status_code == 421


def test_nothing_runs_that_is_not_ours(address: Address, closed: Address) -> None:
    asked = [
        *(
            (address, "GET", path, 200)
            for path in ("/", "/new", "/api", "/static/api.js", "/metrics", "/healthz")
        ),
        (address, "GET", "/api/v1/crawls", 200),
        (address, "GET", "/api/v1/crawls/first/export", 200),
        (address, "HEAD", "/api/v1/crawls/first/events", 200),
        (address, "GET", "/nowhere", 404),
        (address, "GET", "/static/none.js", 404),
        (address, "POST", "/api/v1/crawls", 415),
        (address, "PUT", "/api/v1/crawls", 405),
        (closed, "GET", "/", 401),
        (closed, "GET", "/?token=a%20secret", 303),
    ]
    for server, method, path, code in asked:
        answer = httpx.request(method, f"{server.origin}{path}")
        assert answer.status_code == code, path
        policy = dict(
            part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["style-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers
    report = httpx.get(f"{address.origin}/api/v1/crawls/first/report")
    assert (
        report.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )


def test_bounded_bodies(fresh: Address) -> None:
    long = b" " * (LONGEST_BODY + 1)
    answer = httpx.post(f"{fresh.origin}{MARK}", headers=JSON, content=long)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    chunks = (b" " * 65_536 for _ in range(100))
    assert httpx.post(f"{fresh.origin}{MARK}", headers=JSON, content=chunks).status_code == 413
    deep = b"[" * 100_000
    assert httpx.post(f"{fresh.origin}{MARK}", headers=JSON, content=deep).status_code == 400
    for body in (
        b"\xff",
        b"",
        b"[]",
        b'{"urls": []}',
        b'{"urls": ["x"], "good": 2}',
        b'{"urls":["x"],"good":true,"more":1}',
    ):
        assert httpx.post(f"{fresh.origin}{MARK}", headers=JSON, content=body).status_code == 400, body


def test_bounded_writes(fresh: Address) -> None:
    with httpx.Client(base_url=fresh.origin, headers=JSON) as client:
        codes = [client.post(MARK, content="{}").status_code for _ in range(WRITES + 1)]
        assert codes == [400] * WRITES + [429]
        told = client.post(MARK, content="{}")
        assert told.headers["retry-after"] == "10"
        assert client.get(MARK).status_code == 200, "to read is not to write"


def test_names_lead_nowhere_else(address: Address, place: Path) -> None:
    (place / "outside.txt").write_text("outside")
    names = (
        "..",
        "..%2f..%2fetc",
        "%2e%2e",
        "first%2f..",
        "first%00",
        "outside.txt",
        "%c3%28",
        "first/../..",
        "~",
    )
    for name in names:
        for path in (
            f"/api/v1/crawls/{name}",
            f"/api/v1/crawls/{name}/best",
            f"/api/v1/crawls/{name}/events",
        ):
            answer = httpx.get(f"{address.origin}{path}")
            assert answer.status_code in (404, 400), path
            assert "outside" not in answer.text.replace("outside.txt", "")
            assert str(place) not in answer.text, "where crawls lie is nobody's business"
    files = (
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/app.py",
        "..%5capp.py",
        "vendored/../../app.py",
        "/etc/passwd",
        "",
        ".",
        "\x00",
    )
    for file in files:
        answer = httpx.Client(base_url=address.origin, follow_redirects=True).get(
            f"/static/{file}".replace("\x00", "%00")
        )
        assert answer.status_code in (404, 405), file
        assert "starlette" not in answer.text


def test_parameters_are_checked(address: Address) -> None:
    for query in (
        "most=0",
        "most=1001",
        "most=-1",
        "most=x",
        "most=1&most=2",
        "nothing=1",
        "after=x",
        "after=%00",
        "after=1:2",
    ):
        answer = httpx.get(f"{address.origin}/api/v1/crawls/first/pages?{query}")
        if query != "most=1&most=2":
            assert answer.status_code == 400, query
            assert answer.json()["detail"].count("\n") == 0
    assert httpx.get(f"{address.origin}/api/v1/crawls/first/pages?after={'9' * 5_000}").status_code == 400


def test_the_same_walls_around_all(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lycosa.crawls.folder import CrawlFolder

    def broken(folder: CrawlFolder, n: int) -> None:
        raise RuntimeError("the secret of /home")

    monkeypatch.setattr(CrawlFolder, "best", broken)
    with served(place) as address:
        answer = httpx.get(f"{address.origin}/api/v1/crawls/first/best")
    assert answer.status_code == 500
    assert json.loads(answer.text)["detail"] == "lycosa itself failed here; its log has the trace"
    assert "secret" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
