"""Tasks made of a recorded web: from labels, from hubs, from a web directory, and by the command line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from tests.worlds import html, redirect, response, u

from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.cli.group import lycosa
from lycosa.lab.tasks.apart import apart
from lycosa.lab.tasks.dmoz import DmozRules, from_directory, read_directory
from lycosa.lab.tasks.hubs import HubRules, from_hubs, mean_cosine
from lycosa.lab.tasks.labelled import LabelRules, from_labels, keywords_of, slug
from lycosa.lab.tasks.narrowed import NarrowRules, narrowed
from lycosa.lab.tasks.seeds import SeedRules, check, with_seeds
from lycosa.lab.tasks.subjects import is_subject, without_forms
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.sources.labels import Label, read_labels

SPIDERS = 8
WORDS = ["web", "silk", "venom", "fang", "leg", "eye", "prey", "den", "burrow", "egg"]

DIRECTORY = """<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">
  <Topic r:id="Top/Animals"><link r:resource="http://s0.test/"/></Topic>
  <ExternalPage about="http://s0.test/">
    <d:Title>Wolf spider</d:Title><d:Description>It hunts.</d:Description><topic>Top/Animals/Wolf_Spiders</topic>
  </ExternalPage>
  <ExternalPage about="http://old.test/">
    <d:Title>Jumping
      spider</d:Title><d:Description>It &amp; its eyes.</d:Description><topic>Top/Animals/Wolf_Spiders</topic>
  </ExternalPage>
  <ExternalPage about="http://away.test/"><d:Title>Gone</d:Title><topic>Top/Animals/Wolf_Spiders</topic></ExternalPage>
  <ExternalPage about="ftp://s2.test/"><d:Title>Files</d:Title><topic>Top/Animals/Wolf_Spiders</topic></ExternalPage>
  <ExternalPage about="http://s3.test/"><d:Title>All animals</d:Title><topic>Top/Animals</topic></ExternalPage>
  <ExternalPage about="http://s4.test/"><d:Title>Cars</d:Title><topic>Top/Things/Cars</topic></ExternalPage>
</RDF>
"""
STRUCTURE = """<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns="http://dmoz.org/rdf/">
  <Topic r:id="Top/Things/Cars"><narrow r:resource="Top/Things/Cars/Old"/></Topic>
</RDF>
"""


def spider(number: int) -> str:
    """A text on spiders that differs from the others in some words."""
    own = " ".join(WORDS[(number + shift) % len(WORDS)] for shift in range(4))
    return f"spider number{number} {own} " * 12


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hub -> s0 … s7, each of which links to the next; far -> near -> s0; old is moved to s1."""
    folder = tmp_path_factory.mktemp("recorded") / "web"
    targets = [u(f"s{n}") for n in range(SPIDERS)]
    links = [u("old") if target == u("s1") else target for target in targets]
    pages = [
        response(u("hub"), html("Look at these", links, "<title>The Spider Page</title>")),
        response(u("copy"), html("Look at these", links, "<title>The Spider Page</title>")),
        redirect(u("old"), u("s1")),
        *(response(u(f"near{n}"), html(f"a path {n}", [u("s0")])) for n in range(6)),
        *(response(u(f"far{n}"), html(f"a longer path {n}", [u(f"near{n}"), u("gone")])) for n in range(6)),
        *(response(url, html(spider(n), [targets[(n + 1) % SPIDERS]])) for n, url in enumerate(targets)),
    ]
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for page in pages:
        archive.write(page)
    archive.close()
    return folder


@pytest.fixture(scope="module")
def web(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabWeb]:
    return open_web([recorded], kept_in=tmp_path_factory.mktemp("kept"))  # type: ignore[return-value]


RULES = HubRules(links=(8, 60), in_degree=(2, 40), text=100, cohesion=(0.0, 1.0))


def test_a_hub_is_a_topic(web: LabWeb) -> None:
    (task, *others) = from_hubs(web, RULES)
    assert others == []  # the copy shares all its targets
    assert task.keywords == ("Spider", "Page")
    assert task.id == "the-spider-page"
    assert set(task.targets) == {u(f"s{n}") for n in range(SPIDERS)}  # s1 by way of old
    assert set(task.excluded) == {u("hub"), u("copy")}
    assert task.examples[0] in task.excluded
    assert task.description.startswith("The Spider Page to http://s0.test/")
    assert task.description.count("http://old.test/") >= 1
    assert task.cohesion is not None
    assert 0 < task.cohesion < 1
    ready = with_seeds(task, web.graph(), SeedRules())
    assert ready.seeds == {
        1: tuple(u(f"near{n}") for n in range(6)),
        2: tuple(u(f"far{n}") for n in range(6)),
    }
    assert ready.reachable == {1: 1.0, 2: 1.0}


@pytest.mark.parametrize(
    "rules",
    [
        {"links": (9, 60)},
        {"in_degree": (4, 40)},
        {"text": 100_000},
        {"cohesion": (0.0, 0.0001)},
        {"per_host": 0},
    ],
)
def test_what_is_no_hub(web: LabWeb, rules: dict[str, object]) -> None:
    assert list(from_hubs(web, replace(RULES, **rules))) == []


def test_the_name_of_a_site_is_no_topic(tmp_path: Path) -> None:
    """Of ten titles all have "Spider House", three "Silk" and two "Venom": more than a quarter is the site's name."""
    names = ["Silk", "Silk", *(f"Leg{n}" for n in range(6)), "Venom", "Venom Silk"]
    pages = [u(f"house/{n}") for n in range(10)]
    archive = WarcArchive.open(tmp_path, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for number, (url, name) in enumerate(zip(pages, names, strict=True)):
        links = pages[:9] if number == 9 else [pages[(number + 1) % 9], pages[(number + 2) % 9]]
        archive.write(response(url, html(spider(number), links, f"<title>{name} - Spider House</title>")))
    archive.close()
    (task,) = from_hubs(open_web([tmp_path]), RULES)
    assert task.keywords == ("Venom",)


def test_a_title_must_name_what_the_hub_collects(web: LabWeb) -> None:
    """Every spider's text has "spider", none has "page", which is a word of pages as such."""
    (task,) = from_hubs(web, replace(RULES, named=1.0))
    assert task.keywords == ("Spider",)
    assert list(from_hubs(web, replace(RULES, named=1.0, words=(2, 4)))) == []
    for telling, found in (
        (2.19, [task]),
        (2.21, []),
    ):  # 10 of 22 pages have the word: 8 targets and 2 titles
        assert list(from_hubs(web, replace(RULES, named=1.0, telling=telling))) == found


def test_hubs_that_somebody_names(web: LabWeb) -> None:
    """Both the hub and its copy, though they share all targets; a page that is no hub makes none."""
    asked = [u("copy"), u("near0"), u("hub")]
    assert [task.examples for task in from_hubs(web, RULES, asked)] == [(u("copy"),), (u("hub"),)]


def test_words_of_pages_are_no_subject() -> None:
    assert without_forms(["Ann's", "Home", "Page", "Lessons", "1996"]) == ("Ann", "Lessons")
    assert is_subject(["Robotics", "Faculty"])
    assert not is_subject(["Faculty", "Members"])
    assert not is_subject([])


def test_a_category_narrowed_by_a_phrase(tmp_path: Path) -> None:
    """Of seven pages three say "wolf spiders" twice and one in its title; nobody links to the last.

    All seven have both words, so 4 · 7 / (7 · 7) = .571 binds them.
    """
    texts = [
        "wolf spiders and wolf spiders",
        "a wolf spider, the wolf spider",
        "wolf spiders eat, wolf spiders sleep",
    ]
    archive = WarcArchive.open(tmp_path, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    pages = [u(f"a{n}") for n in range(7)]
    for number, url in enumerate(pages):
        text = texts[number] if number < 3 else f"once: wolf spider {number}" if number < 6 else texts[0]
        title = "<title>Wolf Spiders</title>" if number == 3 else ""
        archive.write(response(url, html(text, [pages[(number + 1) % 6]], title)))
    archive.close()
    library = open_web([tmp_path], kept_in=tmp_path / "kept")
    animals = Label(path=("animals",), pages=tuple(pages))
    rules = NarrowRules(pages=(4, 60), cohesion=(0.0, 1.0))
    (found,) = narrowed([animals], library, rules)
    assert found == Label(path=("animals", "wolf spiders"), pages=tuple(pages[:4]))
    for stricter in ({"pages": (5, 60)}, {"hosts": 5}, {"titled": 2}, {"bound": 0.58}, {"times": 3}):
        assert narrowed([animals], library, replace(rules, **stricter)) == []


def test_topics_apart_by_hand() -> None:
    """Of five targets one may be shared (.2), two may not; nor may the hub, nor the words in another order."""
    first = topic("a", "ab", "12345", hub="h")
    assert list(apart([topic("b", "cd", "56789")], [first]))
    assert not list(apart([topic("b", "cd", "45678")], [first]))
    assert not list(apart([topic("b", "ba", "67890")], [first]))
    assert not list(apart([topic("b", "cd", "67890", hub="h")], [first]))
    assert [task.id for task in apart([first, topic("b", "cd", "12678"), topic("c", "ef", "12678")])] == ["a"]


def topic(name: str, keywords: str, targets: str, hub: str = "") -> Task:
    """A task with a letter for each keyword and target."""
    return Task(
        id=name, keywords=tuple(keywords), targets=tuple(map(u, targets)), excluded=tuple(map(u, hub))
    )


def test_mean_cosine_by_hand() -> None:
    """ln 2 for each word of four texts that two hold: (a), (a b): 1/√2; with (b): mean of 1/√2, 0 and 1/√2."""
    half = {"a": 2, "b": 2}
    assert mean_cosine([{"a": 1}, {"a": 1, "b": 1}], half, 4) == pytest.approx(0.5**0.5)
    assert mean_cosine([{"a": 3}, {"a": 1, "b": 1}, {"b": 2}], half, 4) == pytest.approx(2 * 0.5**0.5 / 3)
    assert mean_cosine([{"a": 1}, {}], half, 4) == 0
    assert mean_cosine([{"a": 1}], half, 4) == 0


def test_a_table_of_labels(web: LabWeb, tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    rows = [f"http://s{n}.test/\tAnimals/Wolf spiders\tx{n}" for n in range(6)]
    path.write_text(
        "\n".join(["url\tsubject\tother", *rows, "http://s6.test/\tAnimals/Wolf spiders/Big\ty", ""])
    )
    labels = read_labels(path)
    assert [(label.path, len(label.pages)) for label in labels] == [
        (("Animals", "Wolf spiders"), 6),
        (("Animals", "Wolf spiders", "Big"), 1),
    ]
    (task,) = from_labels(labels, web, LabelRules(least=5, beginning=40))
    assert task.keywords == ("Animals", "Wolf", "spiders")
    assert (len(task.targets), len(task.examples)) == (3, 3)
    assert not set(task.targets) & set(task.examples)
    assert set(task.relevant) == {*task.targets, u("s6")}
    assert task.labels == {"Animals/Wolf spiders/Big": (u("s6"),)}
    assert task.description.startswith("spider number")
    assert list(from_labels(labels, web, LabelRules(least=5))) == list(
        from_labels(labels, web, LabelRules(least=5))
    )
    assert len(read_labels(path, "other")) == 7
    assert read_labels(path, "other,subject")[0].path == ("x0", "Animals", "Wolf spiders")


def test_a_tree_of_categories(tmp_path: Path) -> None:
    path = tmp_path / "taxonomy.json"
    leaf = {"name": "Spiders", "pages": ["http://s0.test/", "http://S0.test:80"], "children": []}
    path.write_text(
        json.dumps({"name": "subject", "pages": [], "children": [{"name": "Animals", "children": [leaf]}]})
    )
    assert read_labels(path) == [Label(path=("Animals", "Spiders"), pages=(u("s0"),))]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.tsv", "url\n", "line 1: give a heading"),
        ("a.tsv", "url\tlabel\nhttp://a.test/\n", "line 2: has 1 fields"),
        ("a.tsv", "url\tlabel\nnowhere\tx\n", "line 2: not a URL"),
        ("a.csv", "url,label\nhttp://a.test/,\n", "no page carries a label"),
        ("a.json", "[]", "no tree of categories"),
    ],
)
def test_labels_that_cannot_be_used(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_labels(tmp_path / name)
    (tmp_path / "b.tsv").write_text("url\tlabel\n")
    with pytest.raises(InputError, match="there are: label"):
        read_labels(tmp_path / "b.tsv", "colour")
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "none.tsv")


def test_keywords_and_ids() -> None:
    assert keywords_of(["The Arts", "Arts & X of Crafts", "e-mail's"]) == ("Arts", "Crafts", "mail's")
    assert slug("Wölfe & Spinnen / 2") == "wolfe-spinnen-2"
    assert slug("蜘蛛") == "topic"


def test_a_web_directory(web: LabWeb, tmp_path: Path) -> None:
    """Leaves only; a site that moved is its new page; what the web lacks is no target but its text describes."""
    content, structure = tmp_path / "content.rdf.u8", tmp_path / "structure.rdf.u8.gz"
    content.write_text(DIRECTORY, encoding="utf-8")
    structure.write_bytes(gzip.compress(STRUCTURE.encode()))
    assert [leaf.path for leaf in read_directory([content])] == [
        ("Animals", "Wolf_Spiders"),
        ("Things", "Cars"),
    ]
    (leaf,) = read_directory([content, structure])
    assert [site.title for site in leaf.sites] == ["Wolf spider", "Jumping spider", "Gone"]
    (task,) = from_directory([leaf], web, DmozRules(least=2))
    assert task.targets == (u("s0"), u("s1"))
    assert task.keywords == ("Animals", "Wolf", "Spiders")
    assert task.description == "Wolf spider It hunts. Jumping spider It & its eyes. Gone"
    assert list(from_directory([leaf], web)) == []  # five links are asked for
    assert [leaf.path[-1] for leaf in read_directory([content], "Top/Things/")] == ["Cars"]


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "content.rdf.u8"
    path.write_text("<RDF>\n<ExternalPage about='http://a.test/'>\n<oops</RDF>")
    with pytest.raises(InputError, match="line 3: no sound RDF"):
        read_directory([path])
    path.write_text(DIRECTORY)
    with pytest.raises(InputError, match="no topic with external links below Top/Nothing"):
        read_directory([path], "Top/Nothing")
    with pytest.raises(InputError, match="cannot be read"):
        read_directory([tmp_path / "none"])


# -- the command -------------------------------------------------------------------------------------------------


def run(*args: object) -> Result:
    return CliRunner().invoke(lycosa, ["lab", "tasks", *map(str, args)])


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_tasks_by_the_command_line(recorded: Path, home: Path) -> None:
    out = home / "tasks.jsonl"
    content = home / "content.rdf.u8"
    content.write_text(DIRECTORY, encoding="utf-8")
    told = run(recorded, "-o", out, "--from", "dmoz", "--file", content, "--least", 2, "-D", "0,1,2")
    assert told.exit_code == 0, told.output
    assert "1 at D = 0, 1 at D = 1, 1 at D = 2" in told.output
    assert "100% of the targets" in told.output
    (task,) = read_tasks(out)
    assert set(task.seeds) == {0, 1, 2}
    checked = run(recorded, "--check", out)
    assert checked.exit_code == 0
    assert "1 task, 0 with problems" in checked.output
    labels = home / "labels.csv"
    labels.write_text("url,label\n" + "".join(f"http://s{n}.test/,Spiders\n" for n in range(6)))
    told = run(recorded, "-o", out, "--from", "labels", "--file", labels, "--least", 6, "--topics", 1)
    assert told.exit_code == 0, told.output
    assert read_tasks(out)[0].keywords == ("Spiders",)
    args = ("--from", "labels", "--file", labels, "--least", 6)
    told = run(recorded, "-o", home / "more.jsonl", *args, "--apart-from", out)
    assert "no labels of this web make a task" in told.output


def test_topics_from_hubs_that_a_person_would_have(recorded: Path, home: Path) -> None:
    args = ("-o", home / "tasks.jsonl", "--from", "hubs", "--named", 0.5, "--words", 4, "-D", "1,2")
    told = run(recorded, *args, "--least", 5)
    assert told.exit_code == 0, told.output
    assert [task.keywords for task in read_tasks(home / "tasks.jsonl")] == [("Spider",)]
    assert "no hubs of this web make a task" in run(recorded, *args, "--least", 9).output


def test_topics_from_phrases(home: Path) -> None:
    """Six hosts have a page on "wolf spiders", and six one on something else."""
    pages = [u(f"w{n}") for n in range(6)] + [u(f"x{n}") for n in range(6)]
    archive = WarcArchive.open(home / "web", Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for number, url in enumerate(pages):
        text = f"wolf spiders and {spider(number)} wolf spiders" if number < 6 else f"nothing here {number}"
        links = [pages[(number + 6) % 12], pages[(number + 1) % 6]]
        archive.write(response(url, html(text, links, "<title>Wolf Spiders</title>" if number < 6 else "")))
    archive.close()
    told = run(home / "web", "-o", home / "tasks.jsonl", "--from", "phrases", "-D", 1)
    assert told.exit_code == 0, f"{told.output}{told.exception}"
    tasks = read_tasks(home / "tasks.jsonl")
    assert ("wolf", "spiders") in [task.keywords for task in tasks]


def test_problems_are_told(recorded: Path, home: Path) -> None:
    path = home / "topics.jsonl"
    task = {
        "id": "t",
        "keywords": ["k"],
        "targets": ["http://s0.test/", "http://no.test/"],
        "seeds": {"2": ["http://near0.test/"]},
    }
    path.write_text(json.dumps(task))
    told = run(recorded, "--check", path)
    assert told.exit_code == 1
    assert (
        "t: 1 target not in the web; D = 2: 1 start page not 2 links from the nearest target" in told.output
    )
    as_json = run(recorded, "--check", path, "--json")
    assert json.loads(as_json.stdout.splitlines()[-1])["missing_targets"] == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--from", "hubs"), "where they go with -o"),
        (("-o", "x"), "with --from"),
        (("-o", "x", "--from", "labels"), "needs --file with the labels"),
        (("-o", "x", "--from", "dmoz"), "needs --file with the directory"),
        (("-o", "x", "--from", "hubs", "-D", "near"), "whole numbers"),
        (("-o", "x", "--from", "hubs", "-D", "4"), "no hubs of this web make a task"),
    ],
)
def test_what_is_wrong_is_said(
    recorded: Path, home: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(home)
    told = run(recorded, *args)
    assert told.exit_code != 0
    assert said in f"{told.output}{told.exception}"
    assert not (home / "x").exists()


def test_a_task_that_this_web_cannot_do(web: LabWeb) -> None:
    (task,) = from_hubs(web, RULES)
    missing = with_seeds(task, web.graph())
    assert check(missing, web.graph()).problems == []
    assert web.graph().number(Url("http://old.test/")) == web.index("http://s1.test/")
