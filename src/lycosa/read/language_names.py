"""The names of languages as people write them, in English and in the language itself, and their codes."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Final

from lycosa.model.errors import InputError

# ISO 639-1, and after it codes of three letters that pages are told to be written in.
_NAMES: Final = """
aa Afar; ab Abkhazian; ae Avestan; af Afrikaans; ak Akan; am Amharic|አማርኛ; an Aragonese|aragonés; ar Arabic|العربية;
as Assamese|অসমীয়া; av Avaric|Avar; ay Aymara; az Azerbaijani|azərbaycanca; ba Bashkir|башҡортса; be Belarusian|беларуская;
bg Bulgarian|български; bh Bihari; bi Bislama; bm Bambara; bn Bengali|Bangla|বাংলা; bo Tibetan|བོད་ཡིག; br Breton|brezhoneg;
bs Bosnian|bosanski; ca Catalan|Valencian|català; ce Chechen|нохчийн; ch Chamorro; co Corsican|corsu; cr Cree;
cs Czech|čeština; cu Church Slavonic|Old Church Slavonic; cv Chuvash|чӑвашла; cy Welsh|Cymraeg; da Danish|dansk;
de German|Deutsch; dv Divehi|Maldivian|ދިވެހި; dz Dzongkha; ee Ewe; el Greek|ελληνικά; en English; eo Esperanto;
es Spanish|Castilian|español|castellano; et Estonian|eesti; eu Basque|euskara; fa Persian|Farsi|فارسی; ff Fulah|Fula;
fi Finnish|suomi; fj Fijian; fo Faroese|føroyskt; fr French|français; fy Western Frisian|Frisian|Frysk; ga Irish|Gaeilge;
gd Scottish Gaelic|Gaelic|Gàidhlig; gl Galician|galego; gn Guarani|avañe'ẽ; gu Gujarati|ગુજરાતી; gv Manx|Gaelg; ha Hausa;
he Hebrew|עברית; hi Hindi|हिन्दी; ho Hiri Motu; hr Croatian|hrvatski; ht Haitian|Haitian Creole|kreyòl ayisyen;
hu Hungarian|magyar; hy Armenian|հայերեն; hz Herero; ia Interlingua; id Indonesian|bahasa Indonesia; ie Interlingue;
ig Igbo; ii Sichuan Yi; ik Inupiaq; io Ido; is Icelandic|íslenska; it Italian|italiano; iu Inuktitut; ja Japanese|日本語;
jv Javanese|basa Jawa; ka Georgian|ქართული; kg Kongo; ki Kikuyu; kj Kuanyama; kk Kazakh|қазақша; kl Kalaallisut|Greenlandic;
km Khmer|Cambodian|ខ្មែរ; kn Kannada|ಕನ್ನಡ; ko Korean|한국어; kr Kanuri; ks Kashmiri; ku Kurdish|kurdî; kv Komi; kw Cornish|kernewek;
ky Kyrgyz|Kirghiz|кыргызча; la Latin|latina; lb Luxembourgish|Lëtzebuergesch; lg Ganda|Luganda; li Limburgish|Limburgs;
ln Lingala; lo Lao|ລາວ; lt Lithuanian|lietuvių; lu Luba-Katanga; lv Latvian|latviešu; mg Malagasy; mh Marshallese;
mi Maori|te reo Māori; mk Macedonian|македонски; ml Malayalam|മലയാളം; mn Mongolian|монгол; mr Marathi|मराठी;
ms Malay|bahasa Melayu; mt Maltese|Malti; my Burmese|မြန်မာ; na Nauru; nb Norwegian Bokmål|Bokmål; nd North Ndebele;
ne Nepali|नेपाली; ng Ndonga; nl Dutch|Flemish|Nederlands; nn Norwegian Nynorsk|Nynorsk; no Norwegian|norsk; nr South Ndebele;
nv Navajo; ny Chichewa|Nyanja; oc Occitan; oj Ojibwa; om Oromo; or Odia|Oriya|ଓଡ଼ିଆ; os Ossetian|ирон; pa Punjabi|Panjabi|ਪੰਜਾਬੀ;
pi Pali; pl Polish|polski; ps Pashto|پښتو; pt Portuguese|português; qu Quechua|Runa Simi; rm Romansh|rumantsch; rn Rundi;
ro Romanian|Moldovan|română; ru Russian|русский; rw Kinyarwanda; sa Sanskrit|संस्कृतम्; sc Sardinian|sardu; sd Sindhi|سنڌي;
se Northern Sami|Sami; sg Sango; si Sinhala|Sinhalese|සිංහල; sk Slovak|slovenčina; sl Slovenian|Slovene|slovenščina;
sm Samoan; sn Shona; so Somali; sq Albanian|shqip; sr Serbian|српски|srpski; ss Swati; st Southern Sotho; su Sundanese;
sv Swedish|svenska; sw Swahili|Kiswahili; ta Tamil|தமிழ்; te Telugu|తెలుగు; tg Tajik|тоҷикӣ; th Thai|ไทย; ti Tigrinya;
tk Turkmen|türkmen; tl Tagalog|Filipino; tn Tswana; to Tonga|Tongan; tr Turkish|Türkçe; ts Tsonga; tt Tatar|татарча; tw Twi;
ty Tahitian; ug Uyghur|Uighur|ئۇيغۇرچە; uk Ukrainian|українська; ur Urdu|اردو; uz Uzbek|oʻzbekcha; ve Venda;
vi Vietnamese|tiếng Việt; vo Volapük; wa Walloon|walon; wo Wolof; xh Xhosa; yi Yiddish|ייִדיש; yo Yoruba; za Zhuang;
zh Chinese|Mandarin|中文|汉语|漢語; zu Zulu;
als Alemannic|Swiss German; arz Egyptian Arabic; ast Asturian; bar Bavarian; bcl Central Bikol; bpy Bishnupriya; bxr Buryat;
cbk Chavacano; ceb Cebuano; ckb Central Kurdish|Sorani; diq Dimli; dsb Lower Sorbian; dty Dotyali; eml Emilian-Romagnol;
frr Northern Frisian; gom Goan Konkani|Konkani; hif Fiji Hindi; hsb Upper Sorbian; ilo Iloko; jbo Lojban; krc Karachay-Balkar;
lez Lezghian; lmo Lombard; lrc Northern Luri; mai Maithili; mhr Meadow Mari; min Minangkabau; mrj Hill Mari; mwl Mirandese;
myv Erzya; mzn Mazanderani; nah Nahuatl; nap Neapolitan; nds Low German|Plattdüütsch; new Newari; pam Pampanga; pfl Palatine German;
pms Piedmontese; pnb Western Punjabi; rue Rusyn; sah Yakut|Sakha; scn Sicilian; sco Scots; sh Serbo-Croatian; tyv Tuvan;
vec Venetian; vep Veps; vls West Flemish; war Waray; wuu Wu Chinese|Wu; xal Kalmyk; xmf Mingrelian; yue Cantonese|粵語
"""  # noqa: E501 # a table
THREE_TO_TWO: Final = {
    "eng": "en",
    "deu": "de",
    "ger": "de",
    "fra": "fr",
    "fre": "fr",
    "spa": "es",
    "ita": "it",
}


@cache
def _codes() -> dict[str, str]:
    """Codes by names and by codes, all in one case."""
    codes = dict(THREE_TO_TWO)
    for entry in _NAMES.split(";"):
        code, _, names = entry.strip().partition(" ")
        for name in (code, *names.split("|")):
            codes[name.casefold()] = code
    return codes


def language_code(name: str) -> str:
    """The code of a language: of ISO 639-1, or of three letters where there is none of two.

    `name` is a code, with or without a region, or a name in English or in the language itself. Raises `InputError`
    for any other, with the closest.

    >>> [language_code(name) for name in ("de", "pt-BR", "German", "français", "日本語")]
    ['de', 'pt', 'de', 'fr', 'ja']
    """
    codes = _codes()
    wanted = " ".join(name.split()).casefold()
    code = codes.get(wanted) or codes.get(wanted.replace("_", "-").partition("-")[0])
    if code is None:
        close = difflib.get_close_matches(wanted, codes, n=1, cutoff=0.6)
        hint = f"did you mean {codes[close[0]]!r} ({close[0]})?" if close else "give a code such as 'en'"
        raise InputError(f"language {name!r}: is not known; {hint}")
    return code
