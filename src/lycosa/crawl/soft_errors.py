"""Soft errors: answers of success that say that there is no such page, or only offer the host's name for sale.

The name is of Bar-Yossef, Broder, Kumar and Tomkins, "Sic transit gloria telae: towards an understanding of the web's
decay" (WWW 2004). They compare a page with what its host answers for a path that cannot exist, which is a request more.
Here the page's own words must say it, so less is found, and hardly ever wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from lycosa.crawl.sketch import word_count
from lycosa.crawl.traps import NEAR
from lycosa.model.packed import listed, packed
from lycosa.model.records import Page, Reason
from lycosa.model.url import Host, Url, host_of

SHORT: Final = 150
"""Words of a page that one line or heading of it can speak for, or fewer."""
TITLED: Final = 400
"""Words of a page whose title can speak for it: error pages have their site's menus too."""
OFFER: Final = 250
"""Words of a page that offers its host's name for sale, or fewer."""
SAME: Final = 2
"""Pages of a host that said the same under wholly different names, before one more is taken for an error."""
KEPT: Final = 16
"""Short pages of a host that are remembered, the last ones."""

_SUBJECT = (
    r"(?:(?:the|this|that|your) )?(?:requested )?(?:web ?)?(?:page|file|document|url|resource|object)"
    r"(?: requested| (?:that )?you(?:'re| are| were|'ve| have)? (?:request(?:ed)?|access(?:ed)?|looking for"
    r"|tr(?:y|ied|ying) to \w+))?(?: /\S*| https?:\S*)?"
)
_MISSING = (
    r"(?:(?:(?:was|is|were|could|can)(?: not|n't|not) (?:be )?|can't be |not )found"
    r"|(?:does not|doesn't|no longer) exists?|is no longer available|is missing|is gone)"
    r"(?: (?:on|at) (?:this (?:server|site|address|location)|/\S*)| here| any ?more)?"
)
_NO_SUCH_PAGE: Final = re.compile(
    "|".join(
        [
            "not found",
            rf"{_SUBJECT} {_MISSING}",
            r"(?:we )?(?:could not|couldn't|cannot|can't) find (?:the|that|this) page(?: you .{1,40})?",
            r"(?:die |diese )?(?:(?:angeforderte|gewünschte|gesuchte) )?(?:web)?(?:seite|datei)"
            r"(?: wurde| konnte| kann)?(?: leider)? nicht (?:gefunden(?: werden)?|vorhanden)",
            r"(?:die|diese) (?:\w+ )?seite (?:existiert nicht(?: mehr)?|ist nicht mehr vorhanden)",
            r"page (?:introuvable|non trouvée|inexistante)",
            r"(?:la|cette) page (?:demandée |que vous \w+ )?(?:n'existe (?:pas|plus)|est introuvable"
            r"|n'a pas été trouvée)",
            r"página no (?:encontrada|existe)|no se (?:encontró|ha encontrado|encuentra) la página",
            r"(?:la|esta) página (?:solicitada |que \w+ )?no (?:existe|se encuentra|ha sido encontrada)",
            r"página não encontrada|(?:a|esta) página (?:\w+ ){0,3}?não (?:existe|foi encontrada)",
            r"pagina non trovata|(?:la|questa) pagina (?:\w+ ){0,3}?non (?:esiste|è stata trovata)",
            r"pagina niet gevonden|(?:de|deze) (?:\w+ )?pagina (?:bestaat niet(?: meer)?|(?:is|werd) niet gevonden)",
            r"sidan (?:hittades inte|kunde inte hittas|finns inte)",
            r"siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)",
            r"nie znaleziono strony|strona nie (?:została znaleziona|istnieje)",
            r"stránka (?:nebyla nalezena|nenalezena|neexistuje)",
            r"sayfa bulunamadı",
            r"страница не (?:найдена|существует)|такой страницы (?:нет|не существует)",
            r"(?:页面|网页|頁面|網頁)(?:不存在|未找到|找不到)|(?:未找到|找不到)(?:该|該)?(?:页面|网页|頁面|網頁)",
            r"(?:お探しの)?ページ(?:は|が)?(?:見つかりません(?:でした)?|存在しません)",
            r"페이지를 찾을 수 없습니다",
        ]
    )
)
_CODE: Final = re.compile(
    r"\b(?:(?:http|status|code|error|erreur|fehler|errore|erro|fout|hata|ошибка)\W*)*\b(?:404|410)\b(?:\W*error\b)?"
)
_REGRETS: Final = re.compile(r"^(?:(?:oops|sorry|we're sorry|we are sorry|uh-?oh)\W+(?:but )?)+")
_POINTS: Final = " .,!?:;-–—()[]'\"1"  # around a sentence
_CUT: Final = re.compile(
    r"\s[|·•»«:]\s|\s[-–—]+\s|\s*\|\s*|[:»«·•](?=\s)"
)  # a title's parts, as of `404 – Acme`
_OFFERED: Final = re.compile(
    r"\b(?:this|the) domain(?: name)?(?: \S+)? (?:is|may be|could be) (?:now )?(?:for sale|parked)\b"
    r"|(?<![\w-])[\w-]{1,63}\.[a-z]{2,63} is for sale\b"
    r"|\bbuy this domain\b|\bparked free,? courtesy of\b|\bdomain parking\b"
    r"|\bdiese domain (?:\S+ )?(?:steht zum verkauf|ist zu verkaufen|kaufen)"
    r"|\bce (?:nom de )?domaine (?:\S+ )?est (?:à vendre|en vente)|\beste dominio (?:\S+ )?está (?:en|a la) venta"
    r"|\beste domínio (?:\S+ )?está à venda|\bquesto dominio (?:\S+ )?è in vendita"
    r"|\bdit domein(?:naam)? (?:\S+ )?is te koop|\bta domena (?:\S+ )?jest na sprzedaż"
    r"|\bдомен (?:\S+ )?(?:продается|продаётся|припаркован)"
    r"|(?:此|该|本)域名(?:正在)?出售|このドメインは(?:販売|売り出し)"
)
_OFFERS: Final = (
    *("domai", "domein", "domen", "domini", "domíni", "домен", "域名", "ドメイン"),
    *(" is for sale", "parked free"),
)
"""Whatever is offered says one of these: nearly all pages say none, which is seen a hundred times sooner."""
_TROUBLED: Final = re.compile(
    r"\b(?:errors?|sorry|oops|invalid|unavailable|expired|missing|not found|fehler|erreur|ошибка)\b"
)


class SoftErrors:
    """What a crawl remembers to notice pages that are none. Pure: the same calls give the same answers.

    Invariants, each the name of a property test:

    * asking changes nothing: `nothing_new` may be asked twice, and the same is saved.
    * load restores: `load(save())` restores every answer.
    """

    def __init__(self) -> None:
        self._short: dict[Host, list[tuple[int, Url]]] = {}  # fingerprints of troubled short pages, and names

    def nothing_new(self, page: Page) -> tuple[Reason, str] | None:
        """Why a page is none, as a reason and a sentence; None if it is one. Start pages are never doubted."""
        if page.request.depth == 0:
            return None
        words = word_count(page.text, TITLED)
        if words < TITLED and (said := _title_says_missing(page.title)):
            return Reason.SOFT_404, f"its title says “{said}”"
        if words < SHORT and (said := _says_missing([*page.headings, *page.text.split("\n")])):
            return Reason.SOFT_404, f"it says “{said}”"
        if words < OFFER and (offer := _offer(f"{page.title}\n{page.text}".lower())):
            return Reason.PARKED, f"it says “{offer}”"
        if words < SHORT and (twin := self._twin(page)):
            return Reason.SOFT_404, f"a short page of an error, the same as {twin}"
        return None

    def seen(self, page: Page) -> None:
        """Note a page that counted as one."""
        if word_count(page.text, SHORT) < SHORT and _is_troubled(page):
            known = self._short.setdefault(host_of(page.final_url), [])
            known.append((page.fingerprint, page.final_url))
            del known[:-KEPT]

    def _twin(self, page: Page) -> Url | None:
        """One of several pages of the host that said nearly the same about a trouble, under wholly different names."""
        known = self._short.get(host_of(page.final_url))
        if known is None or not _is_troubled(page):
            return None
        same = [
            url
            for mark, url in known
            if (mark ^ page.fingerprint).bit_count() <= NEAR and _differ(url, page.final_url)
        ]
        return same[-1] if len(same) >= SAME else None

    def save(self) -> bytearray:
        return packed(len(self._short), self._short.items())

    def load(self, saved: Any) -> None:
        self._short = {Host(host): [(mark, Url(url)) for mark, url in known] for host, known in listed(saved)}


def _offer(text: str) -> str:
    """The words by which a text offers a name for sale; empty if it does not."""
    offer = _OFFERED.search(text) if any(map(text.__contains__, _OFFERS)) else None
    return offer[0] if offer else ""


def _says_missing(lines: Iterable[str]) -> str:
    """The first line that says nothing but that there is no such page, as it stands; empty if none does."""
    return next((line.strip() for line in lines if len(line) <= SHORT and _is_missing(line)), "")


def _title_says_missing(title: str) -> str:
    """The title as it stands, if it is `404` or one of its parts says it; empty otherwise."""
    return title.strip() if title.strip() == "404" or _says_missing([title, *_CUT.split(title)]) else ""


def _is_missing(line: str) -> bool:
    """Whether a line is a sentence of a missing page, with or without a code or regrets, or a code called an error.

    Not a number alone: it may be that of a room, a course, an area.
    """
    said = " ".join(line.lower().replace("’", "'").split())
    without_code, codes = _CODE.subn(" ", said)
    bare = _REGRETS.sub("", without_code.strip(_POINTS)).strip(_POINTS)
    if not bare:
        return codes > 0 and any(character.isalpha() for character in said)
    return _NO_SUCH_PAGE.fullmatch(bare.partition(". ")[0]) is not None


def _is_troubled(page: Page) -> bool:
    return bool(page.fingerprint) and _TROUBLED.search(page.text.lower()) is not None


def _differ(one: Url, other: Url) -> bool:
    """Whether two URLs of a host share neither their directory nor their last segment."""
    (head, _, tail), (other_head, _, other_tail) = (
        url.split("?", 1)[0].rpartition("/") for url in (one, other)
    )
    return head != other_head and tail != other_tail
