"""The main text of made-up pages, and what they say of themselves."""

from lycosa.read.html import read
from lycosa.read.main import main_text

PROSE = (
    "The harbour was built in the years after the flood, and its walls have stood since then. "
    "Each spring the boats are painted, and each autumn they are drawn up on the stones."
)
PAGE = f"""<html lang="en"><head><title>The harbour - A Site</title></head><body>
<div class="menu"><ul><li><a href="/">Home</a><li><a href="/news">News</a></ul></div>
<div id="text"><h1>The harbour</h1><p>{PROSE}</p><p>{PROSE[::-1]}</p></div>
<div class="comments"><p>First!</p></div><footer>All rights reserved.</footer></body></html>""".encode()


def test_what_is_around_an_article_is_left_out() -> None:
    found = main_text(PAGE, "http://a.test/")
    assert found.text.split("\n") == ["The harbour", PROSE, PROSE[::-1]]
    assert found.about.title == "The harbour"
    assert found.about.language == "en"
    assert 0.9 < found.share < 1


def test_a_document_gives_the_same_main_text() -> None:
    assert read(PAGE, "http://a.test/").main == main_text(PAGE, "http://a.test/").text
