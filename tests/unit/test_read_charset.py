"""Which charset a body is read with."""

from __future__ import annotations

import pytest

from lycosa.read.charset import codec, decode


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        ("é".encode(), "text/html; charset=UTF-8", "é", "utf-8"),
        ("é".encode("latin-1"), "text/html;charset=ISO-8859-1", "é", "windows-1252"),
        (b"\x93q\x94", "text/html; charset='latin1'", "“q”", "windows-1252"),
        ("паук".encode("koi8-r"), 'text/html; charset="KOI8-R"', "паук", "koi8-r"),
        ("蜘蛛".encode("shift_jis"), "text/html; charset=x-sjis", "蜘蛛", "cp932"),
        ("蜘蛛".encode("gb18030"), "text/html; charset=gb2312", "蜘蛛", "gb18030"),
        # A byte order mark is stronger than the header.
        ("\ufeffé".encode(), "text/html; charset=latin1", "é", "utf-8"),
        ("\ufeffé".encode("utf-16-le"), "", "é", "utf-16-le"),
        ("\ufeffé".encode("utf-16-be"), "text/html; charset=utf-8", "é", "utf-16-be"),
        # The header is stronger than the markup.
        (
            '<meta charset="koi8-r">é'.encode(),
            "text/html; charset=utf-8",
            '<meta charset="koi8-r">é',
            "utf-8",
        ),
        ("<meta charset=koi8-r>паук".encode("koi8-r"), "text/html", "<meta charset=koi8-r>паук", "koi8-r"),
        (
            b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'>\xef",
            "",
            "<META http-equiv=Content-Type content='text/html; charset=windows-1251'>п",
            "windows-1251",
        ),
        (
            b'<?xml version="1.0" encoding="ISO-8859-15"?>\xa4',
            "",
            '<?xml version="1.0" encoding="ISO-8859-15"?>€',
            "iso-8859-15",
        ),
        # What can be read as ASCII is not UTF-16, whatever it says.
        (b"<meta charset=utf-16>\xc3\xa9", "", "<meta charset=utf-16>é", "utf-8"),
        # Nothing said.
        ("паук".encode(), "", "паук", "utf-8"),
        (b"caf\xe9", "", "café", "windows-1252"),
        ("spider web".encode("utf-16-le"), "", "spider web", "utf-16-le"),
        ("spider web".encode("utf-16-be"), "", "spider web", "utf-16-be"),
        (b"", "", "", "utf-8"),
        # Unknown and unusable labels.
        (b"x", "text/html; charset=nonsense", "x", "utf-8"),
        (b"x", "text/html; charset=rot13", "x", "utf-8"),
        (b"x", "text/html; charset=", "x", "utf-8"),
        # Said to be ASCII-like, but whole UTF-8: windows-1252 knows no byte 0x81.
        ("Á".encode(), "text/html; charset=ascii", "Á", "utf-8"),
        (b"caf\xe9 \xc3\xa9", "text/html; charset=utf-8", "caf\ufffd é", "utf-8"),
        # A body cut within a character.
        ("é蛛".encode()[:-1], "", "é", "utf-8"),
    ],
)
def test_decode(body: bytes, content_type: str, text: str, charset: str) -> None:
    assert decode(body, content_type) == (text, charset)


def test_declarations_far_down_are_not_seen() -> None:
    assert decode(b"<!--" + b"x" * 5000 + b"--><meta charset=koi8-r>\xe9", "")[1] == "windows-1252"


@pytest.mark.parametrize(
    "label", ["", "base64", "idna", "utf-7", "unicode-escape", "hex", "zlib", "no\0such"]
)
def test_what_is_no_charset(label: str) -> None:
    assert codec(label) is None
