"""From bytes to text: which character set a page is written in.

In the order of the HTML standard (WHATWG, "Determining the character encoding"): byte order mark, the header's
charset, `<meta>` or the XML declaration within the first bytes, then detection. Detection is one strict attempt at
UTF-8 (by its structure hardly any other text passes), a look at NUL bytes for UTF-16, and windows-1252 for the rest:
the standard's own default, which also reads ASCII and ISO 8859-1. A statistical detector would cost ten times what
reading the page does, for the few pages that neither say their charset nor are UTF-8.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

SCAN = 4096
"""Bytes searched for a declaration. The standard's 1,024 miss pages with long comments in front."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s\"';,]+)", re.IGNORECASE)
_META = re.compile(
    rb"<meta\s[^>]{0,300}?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_:.\-]+)"
    rb"|^\s{0,20}<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]+)",
    re.IGNORECASE,
)


def _named(labels: str, codec_name: str) -> dict[str, str]:
    return dict.fromkeys(labels.split(), codec_name)


# Labels whose meaning on the web differs from the codec of that name (WHATWG Encoding, section 4.2), and labels that
# Python lacks. ISO 8859-1 and ASCII mean windows-1252 there, and the East Asian names mean their wider relatives.
_ON_THE_WEB = {
    **_named("iso8859-1 iso-8859-1 iso_8859-1", "windows-1252"),
    **_named("latin1 latin-1 l1 ascii us-ascii x-cp1252 ansi_x3.4-1968 cp819 ibm819", "windows-1252"),
    **_named("iso-8859-9 iso8859-9 latin5 l5", "windows-1254"),
    **_named("tis-620 iso-8859-11 dos-874 windows-874", "cp874"),
    **_named("gb2312 gb_2312-80 gbk x-gbk chinese csgb2312", "gb18030"),
    **_named("shift_jis shift-jis sjis x-sjis windows-31j ms_kanji", "cp932"),
    **_named("euc-kr ks_c_5601-1987 ks_c_5601-1989 korean ksc5601 windows-949", "cp949"),
    **_named("big5 big5-hkscs cn-big5 x-x-big5", "big5hkscs"),
    **_named("utf8 unicode-1-1-utf-8 x-unicode20utf8", "utf-8"),
    **_named("utf-16 unicode ucs-2 iso-10646-ucs-2 csunicode", "utf-16-le"),
    "x-euc-jp": "euc-jp",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "logical": "iso-8859-8",
    "iso-8859-8-i": "iso-8859-8",
    "koi": "koi8-r",
    "x-cp1250": "windows-1250",
    "x-cp1251": "windows-1251",
}


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """The text of a body and the name of the charset it was read with. Never raises.

    Bytes that the charset does not know become U+FFFD. The name is that of a Python codec, in lower case.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    declared = _from_header(content_type) or _from_markup(body)
    if declared is None:
        return _detect(body)
    return _read(body, declared)


def _read(body: bytes, charset: str) -> tuple[str, str]:
    try:
        return body.decode(charset), charset
    except (UnicodeError, ValueError):
        pass
    # Wrong declarations are common: whole UTF-8 is never an accident. A page cut short or with a few broken bytes is.
    if charset != "utf-8":
        try:
            return body.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    return body.decode(charset, "replace"), charset


def _from_header(content_type: str) -> str | None:
    if not content_type:
        return None
    found = _HEADER.search(content_type)
    return codec(found[1]) if found else None


def _from_markup(body: bytes) -> str | None:
    found = _META.search(body, 0, SCAN)
    if not found:
        return None
    name = codec((found[1] or found[2]).decode("ascii"))
    # A declaration that can be read as ASCII stands in no UTF-16 text (HTML standard, prescan, step 13).
    return "utf-8" if name and name.startswith("utf-16") else name


@lru_cache(maxsize=1024)
def codec(label: str) -> str | None:
    """The Python codec for a charset's label as found on the web, None if there is none."""
    label = label.strip().lower()
    name = _ON_THE_WEB.get(label, label)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # "rot13" and "base64" are codecs to Python, but not character sets.
    return name if getattr(found, "_is_text_encoding", True) and found.name not in _NOT_CHARSETS else None


_NOT_CHARSETS = frozenset(
    {"idna", "punycode", "utf-7", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"}
)


def _detect(body: bytes) -> tuple[str, str]:
    start = body[:SCAN]
    if b"\0" in start and (name := _wide(start)):
        return body.decode(name, "replace"), name
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        # A body cut at the size limit may end within a character; but one odd byte at the end proves nothing.
        whole = body[: error.start]
        if error.reason == "unexpected end of data" and not whole.isascii():
            return whole.decode("utf-8"), "utf-8"
    return body.decode("windows-1252", "replace"), "windows-1252"


def _wide(start: bytes) -> str | None:
    """UTF-16 of a mostly Western text has NULs in every other byte."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    half = len(start) / 2
    if odd > 0.4 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.1 * half:
        return "utf-16-be"
    return None
