"""Passwords, headers and cookies: where each is sent, and that nothing shows them."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.web.http.logins import Cookie, Logins

SECRET = "s3cr3t-w0rd"
ADA = ("Authorization", "Basic " + b64encode(f"ada:{SECRET}".encode()).decode())


def read(folder: Path, kind: str, text: str) -> Logins:
    file = folder / kind
    file.write_text(text, encoding="utf-8")
    found = Logins.read(**{kind: str(file)})
    assert found is not None
    return found


def sent(logins: Logins, url: str) -> tuple[tuple[str, str], ...]:
    return logins.headers_for(Url(url))


def test_a_section_opens_its_url_and_what_is_below(tmp_path: Path) -> None:
    logins = read(
        tmp_path,
        "logins",
        f"""
        ["https://wiki.test/private"]
        user = "ada"
        password = "{SECRET}"
        ["https://wiki.test/private/api/".headers]
        X-Key = "{SECRET}"
        """,
    )
    assert sent(logins, "https://wiki.test/private") == (ADA,)
    assert sent(logins, "https://wiki.test/private?x=1") == (ADA,)
    assert sent(logins, "https://wiki.test/private/page") == (ADA,)
    assert sent(logins, "https://wiki.test/private/api/v1") == (("X-Key", SECRET),)
    for other in (
        "https://wiki.test/privateer",
        "https://wiki.test/",
        "https://wiki.test/robots.txt",
        "http://wiki.test/private/page",
        "https://wiki.test:8443/private/page",
        "https://other.wiki.test/private/page",
        "https://wiki.test.evil.test/private/page",
        "https://evil.test/private?https://wiki.test/private/",
    ):
        assert sent(logins, other) == ()


def test_a_secret_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '["https://wiki.test"]\nuser = "ada"\npassword = { env = "WIKI_PASSWORD" }'
    monkeypatch.setenv("WIKI_PASSWORD", SECRET)
    assert sent(read(tmp_path, "logins", text), "https://wiki.test/a") == (ADA,)
    monkeypatch.delenv("WIKI_PASSWORD")
    with pytest.raises(InputError, match="no variable WIKI_PASSWORD"):
        read(tmp_path, "logins", text)


def test_a_netrc_speaks_https_only_and_to_nobody_by_default(tmp_path: Path) -> None:
    logins = read(
        tmp_path,
        "netrc_file",
        f"machine wiki.test login ada password {SECRET}\nmachine b.test:8443 login ada password {SECRET}\n"
        f"default login anybody password {SECRET}\n",
    )
    assert sent(logins, "https://wiki.test/a") == (ADA,)
    assert sent(logins, "https://b.test:8443/a") == (ADA,)
    for other in ("http://wiki.test/a", "https://b.test/a", "https://c.test/a", "https://wiki.test:444/a"):
        assert sent(logins, other) == ()


def test_cookies_go_where_they_are_for(tmp_path: Path) -> None:
    lines = [
        "# Netscape HTTP Cookie File",
        "",
        "a.test\tFALSE\t/\tFALSE\t0\thost\t1",
        ".b.test\tTRUE\t/wiki\tTRUE\t0\tsafe\t2",
        "#HttpOnly_.b.test\tTRUE\t/\tFALSE\t99999999999\tall\t3",
        "b.test\tTRUE\t/\tFALSE\t1\told\t4",
        ".co.uk\tTRUE\t/\tFALSE\t0\tgreedy\t5",
        "127.0.0.1\tTRUE\t/\tFALSE\t0\tnumber\t6",
    ]
    logins = read(tmp_path, "cookies", "\n".join(lines))
    for url, cookies in {
        "http://a.test/": "host=1",
        "http://a.test:8080/x": "host=1",
        "http://x.a.test/": "",
        "https://b.test/wiki/Page": "safe=2; all=3",
        "https://deep.b.test/wiki": "safe=2; all=3",
        "https://b.test/wikis": "all=3",
        "http://b.test/wiki/Page": "all=3",
        "http://ab.test/": "",
        "http://shop.co.uk/": "",
        "http://127.0.0.1:81/": "number=6",
        "http://0.127.0.0.1/": "",
    }.items():
        assert sent(logins, url) == ((("Cookie", cookies),) if cookies else ()), url


def test_a_header_and_a_file_of_cookies_make_one_cookie_header() -> None:
    cookie = Cookie("a.test", False, "/", False, 0, "b=2")
    logins = Logins({"http://a.test/": (ADA, ("cookie", "a=1"))}, [cookie])
    assert sent(logins, "http://a.test/x") == (ADA, ("Cookie", "a=1; b=2"))
    assert logins.names == {"authorization", "cookie"}


SCHEMES, HOSTS = ("http", "https"), ("a.test", "b.a.test", "xa.test", "b.test:8443")
PATHS = ("/", "/w", "/w/", "/wx", "/w/x", "/w/x/", "/v?https://a.test/w")
URLS = st.builds("{}://{}{}".format, st.sampled_from(SCHEMES), st.sampled_from(HOSTS), st.sampled_from(PATHS))
DOORS = st.sets(URLS.filter(lambda url: "?" not in url), max_size=5)
COOKIES = st.lists(
    st.builds(
        Cookie,
        st.sampled_from(["a.test", "b.a.test", "b.test", "test2"]),
        st.booleans(),
        st.sampled_from(["/", "/w", "/w/x"]),
        st.booleans(),
        st.sampled_from([0, 50, 200]),
        st.just("c=1"),
    ),
    max_size=4,
)


@given(DOORS, COOKIES, URLS)
def test_nobody_else(doors: set[str], cookies: list[Cookie], url: str) -> None:
    logins = Logins({door: (("X-Door", door),) for door in doors}, cookies, now=lambda: 100.0)
    headers = dict(sent(logins, url))
    asked = urlsplit(url)
    fitting = [
        door
        for door in doors
        if (its := urlsplit(door)).scheme == asked.scheme
        and its.netloc == asked.netloc
        and (asked.path == its.path or asked.path.startswith(its.path.rstrip("/") + "/"))
        and not (its.path.endswith("/") and asked.path == its.path[:-1])
    ]
    assert headers.get("X-Door", "") == max(fitting, key=len, default="")
    let = [
        cookie
        for cookie in cookies
        if (
            asked.hostname == cookie.domain
            or (cookie.whole and str(asked.hostname).endswith("." + cookie.domain))
        )
        and (asked.path == cookie.path or asked.path.startswith(cookie.path.rstrip("/") + "/"))
        and (asked.scheme == "https" or not cookie.secure)
        and cookie.expires != 50
    ]
    assert headers.get("Cookie", "") == "; ".join("c=1" for _ in let)


WRONG = {
    "logins": (
        f'["https://a.test"]\npassword = {SECRET}',
        f'["https://a.test"]\npasword = "{SECRET}"',
        f'["https://a.test"]\npassword = ["{SECRET}"]',
        f'["a.test"]\npassword = "{SECRET}"',
        f'["https://ada:{SECRET}@a.test"]\nuser = "x"',
        f'["https://a.test".headers]\nX = "{SECRET}\\r\\nY: 1"',
        f'["https://a.test".headers]\nHost = "{SECRET}"',
        f'["https://a.test".headers]\n"X Y" = "{SECRET}"',
        f'["https://a.test"]\nuser = "a:b"\npassword = "{SECRET}"',
    ),
    "netrc_file": (
        f"machine a.test login ada pasword {SECRET}",
        f"{SECRET} a.test",
        f"machine a.test/{SECRET}? login a password b",
    ),
    "cookies": (
        f"a.test FALSE / FALSE 0 name {SECRET}",
        f"a.test\tFALSE\t/\tFALSE\tnever\tname\t{SECRET}",
        f"a.test\tFALSE\t/\tFALSE\t0\tname\t{SECRET}; Path=/",
    ),
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in WRONG.items() for text in texts])
def test_silent(kind: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, kind, text)
    assert SECRET not in str(error.value)
    assert error.value.__cause__ is None
    shown = Logins({"https://a.test/": (ADA,)}, [Cookie("a.test", True, "/", True, 0, f"c={SECRET}")])
    assert SECRET not in repr([shown, shown.__dict__["_cookies"]])


def test_a_file_that_is_gone_is_told_in_a_line(tmp_path: Path) -> None:
    for kind in WRONG:
        with pytest.raises(
            InputError, match="cannot be read: No such file or directory; a crawl keeps only where"
        ):
            Logins.read(**{kind: str(tmp_path / "gone")})
    assert Logins.read() is None
