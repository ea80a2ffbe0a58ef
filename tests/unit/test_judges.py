"""What judges pages besides words: trained models, pickled ones, predicates, functions; and what if they fail."""

from __future__ import annotations

import asyncio
import io
import math
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from tests.worlds import by_table, drive, journal, lease, looks, made_page, make_crawl, u

from lycosa.compose.topic import TopicSource, load_topic, save_topic, topic_source
from lycosa.crawl.inputs import Input, Pickled, Predicate, PythonFunction, TrainedModel
from lycosa.crawl.topic import Learner
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import FolderError, InputError, TopicError
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis, Page, Request
from lycosa.scoring.learning.classifiers import Rocchio
from lycosa.scoring.learning.features import PLAIN_FIELDS
from lycosa.scoring.learning.training import trained
from lycosa.scoring.topics.guarded import Guarded
from lycosa.scoring.topics.keywords import topic_model
from lycosa.scoring.topics.predicate import PredicateTopic, models_named
from lycosa.scoring.topics.trained import TrainedTopic, checked, packed, quality_in
from lycosa.scoring.topics.users_own import FunctionTopic, PickledTopic
from lycosa.sources.kinds import read_inputs
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.store.paths import Paths
from lycosa.strategies.best_first import BestFirst
from lycosa.web.made.graph_web import GraphWeb

JAZZ = packed(
    "rocchio", Rocchio({"jazz": (1.0, 1.0, 0.0), "rock": (1.0, 0.0, 1.0)}), PLAIN_FIELDS, (2, 3), None
)
"""Says of a text with j times jazz and r times rock: j / (j + r)."""


def page(text: str = "", *, title: str = "", name: str = "a", language: str = "") -> Page:
    made = made_page(Request(url=u(name), order=1), text=f"{title} {text}")
    return msgspec.structs.replace(made, title=title, language=language)


# -- trained models ------------------------------------------------------------------------------------------


def test_a_trained_model_judges_and_explains() -> None:
    topic = TrainedTopic(JAZZ)
    assert topic.relevance(page("jazz jazz jazz rock")) == pytest.approx(0.75)
    assert topic.relevance(page("")) == 0.0
    assert topic.explain(page("jazz jazz jazz rock")) == pytest.approx(
        {"jazz": 3 / math.sqrt(10), "rock": -1 / math.sqrt(10)}
    )
    assert quality_in(JAZZ) is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([1], "m.json: is no topic model"),
        ({"is": "else"}, "m.json: is no topic model"),
        ({**JAZZ, "format": 2}, "a topic model of format 2, this lycosa reads 1; train it again"),
        ({**JAZZ, "kind": "tree"}, "is damaged"),
        ({**JAZZ, "model": {}}, "is damaged"),
        ({**JAZZ, "fields": {"title": "x"}}, "is damaged"),
    ],
)
def test_models_that_cannot_be_read_are_told(content: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        checked(content, "m.json")


# -- predicates ----------------------------------------------------------------------------------------------

MODELS = {"m.json": JAZZ}


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ('word("jazz")', True),
        ('word("Jazzes")', True),
        ('word("free jazz")', True),
        ('word("free history")', False),
        ('word("the jazz")', False),
        ('word("of jazz")', True),
        ('not word("jazz")', False),
        ('word("rock") or word("jazz") and not word("blues")', True),
        ('(word("rock") or word("jazz")) and word("blues")', False),
        ('count("jazz") == 2', True),
        ('count("free jazz") >= 2', False),
        ('text(r"HIST\\w+ of")', True),
        ('title(r"^festival$")', True),
        ('url(r"/forum/")', True),
        ('url(r"/FORUM/")', False),
        ('language("de", "EN")', True),
        ('language("de")', False),
        ("length() > 10", True),
        ("length > 10 and not length > 1000", True),
        ("10 < length() < 20", False),
        ("length() > -1", True),
        ('classifier("m.json") > .9', True),
        ('1 != classifier("m.json")', False),
    ],
)
def test_predicates(expression: str, holds: bool) -> None:
    made = page("A history of jazz, free jazz above all", title="Festival", name="a/forum/1", language="en")
    made = msgspec.structs.replace(made, title="Festival")
    assert PredicateTopic(expression, MODELS).relevance(made) == float(holds)


def test_a_predicate_explains_its_tests() -> None:
    topic = PredicateTopic('word("jazz") and classifier("m.json") > .7 and not url("forum")', MODELS)
    told = topic.explain(page("jazz jazz jazz rock"))
    assert told == {"word('jazz')": 1.0, "classifier('m.json')": pytest.approx(0.75), "url('forum')": 0.0}
    assert pickle.loads(pickle.dumps(topic)).relevance(page("jazz")) == 1.0


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("", "the predicate is empty"),
        ('word("jazz") and', "predicate, column "),
        (
            'word("jazz") and wrd("x")',
            r"column 18, 'wrd\(\"x\"\)': there is no test 'wrd'; did you mean 'word'",
        ),
        ('word("été") and 12', "column 17, '12': is no test; there are: word, text"),
        (
            'word("été") and nothing',
            "column 17, 'nothing': there is no test 'nothing'; there are: word, text",
        ),
        ('__import__("os").system("ls")', "there is no test"),
        ("word(jazz)", "word takes text in quotes"),
        ('word("a", "b")', "word takes 1 text"),
        ("language()", "language takes at least 1 text"),
        ('url("[")', "is no regular expression: unterminated"),
        ('word("!")', "has no word of two letters"),
        ("length()", "is a number; compare it"),
        ('word("xx") > 1', "is true or false, and cannot be compared"),
        ("length() in 3", "compares in a way that is not known"),
        ("length() > True", "is no number"),
        ('length() > "x"', "is no number; write one"),
        ('classifier("other.json") > .5', "model 'other.json' was not given"),
        ("not " * 60 + 'word("x")', "more than 50 levels"),
        ("(lambda: 1)()", "there is no test"),
    ],
)
def test_a_predicates_mistakes_are_told_with_their_place(expression: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        PredicateTopic(expression, MODELS)


def test_the_models_that_a_predicate_names() -> None:
    assert models_named('classifier("a") > classifier("b") or classifier("a") < 1') == ["a", "b"]


# -- pickled models and functions ----------------------------------------------------------------------------


class Pipeline:
    """What scikit-learn's pipelines have."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.75, 0.25] if "jazz" in text else [1.0, 0.0] for text in texts]


def test_a_pickled_pipeline_judges_title_and_text() -> None:
    topic = PickledTopic(Pickled(file="m.pkl", content=pickle.dumps(Pipeline())))
    assert topic.relevance(page("x", title="jazz")) == 0.25
    assert topic.explain(page("jazz")) == {"Pipeline of m.pkl": 0.25}


def test_a_real_pipeline_by_joblib() -> None:
    import joblib
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    made = make_pipeline(TfidfVectorizer(), LogisticRegression(C=100.0))
    made.fit(["jazz trumpet", "jazz swing", "car wheel", "car brake"], [1, 1, 0, 0])
    file = io.BytesIO()
    joblib.dump(made, file, compress=3)
    topic = PickledTopic(Pickled(file="m.joblib", content=file.getvalue()))
    assert topic.relevance(page("jazz")) > 0.5 > topic.relevance(page("car"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (pickle.dumps(3), "holds a int without predict_proba"),
        (b"\x80\x04gone", "is neither a model of lycosa topic train nor a pickled one"),
    ],
)
def test_what_is_no_pipeline_is_told(content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        PickledTopic(Pickled(file="m.pkl", content=content))


def share_of_jazz(page: Page) -> float:
    if "broken" in page.terms:
        raise ZeroDivisionError("by jazz")
    if "strang" in page.terms:
        return math.nan
    if "larg" in page.terms:
        return 3.0
    return "jazz" in page.terms


HERE = f"{__name__}:share_of_jazz"


def test_a_function_judges() -> None:
    topic = FunctionTopic(PythonFunction(dotted=HERE))
    assert (topic.relevance(page("jazz")), topic.relevance(page("rock"))) == (1.0, 0.0)
    assert topic.explain(page("jazz")) == {HERE: 1.0}


@pytest.mark.parametrize(
    ("dotted", "told"),
    [
        ("jazz", "write package.module:name"),
        ("no_such_module:jazz", "No module named 'no_such_module'; is the folder"),
        (f"{__name__}:gone", "has no 'gone'"),
        (f"{__name__}:HERE", "is no function but a str"),
    ],
)
def test_functions_that_are_not_there_are_told(dotted: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        FunctionTopic(PythonFunction(dotted=dotted))


# -- when they fail ------------------------------------------------------------------------------------------

FAULTY = TopicSource(given=(PythonFunction(dotted=HERE),))
GRAPH = {"s": "abc", "a": "", "b": "", "c": ""}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("broken", "ZeroDivisionError: by jazz"),
        ("strange", "its relevance is nan, which is not from 0 to 1"),
        ("large", "its relevance is 3.0, which is not from 0 to 1"),
    ],
)
def test_a_page_that_cannot_be_judged_is_kept_and_the_crawl_goes_on(text: str, fault: str) -> None:
    topic = FAULTY.model()
    crawl = make_crawl(BestFirst(), topic=topic)
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, {"a": text, "b": "jazz"}))
    relevances = {e.event.url: e.event.relevance for e in journal(crawl) if isinstance(e.event, Page)}
    assert relevances == {u("s"): 0.0, u("a"): 0.0, u("b"): 1.0, u("c"): 0.0}
    assert isinstance(topic, Guarded)
    assert (topic.faults, topic.last_fault) == (1, f"{u('a')}: {fault}")
    assert topic.explain(page(text)) == {fault: 0.0}


def test_the_crawl_halts_on_a_fault_if_told_to_and_goes_on_after_the_fix() -> None:
    topic = msgspec.structs.replace(FAULTY, on_fault="halt").model()
    crawl = make_crawl(BestFirst(), topic=topic)
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a")), Millis(0))
    request = lease(crawl)
    with pytest.raises(TopicError, match="cannot be judged: ZeroDivisionError: by jazz"):
        crawl.commit(made_page(request, text="broken"), Millis(0))
    again = make_crawl(BestFirst(), topic=FAULTY.model())
    again.replay(journal(crawl))
    again.recover(Millis(1))
    drive(again, by_table(GRAPH, {"a": "broken"}))
    assert again.pages == 2


def test_faults_are_counted_across_a_restart() -> None:
    topic = FAULTY.model()
    topic.relevance(page("broken"))
    again = FAULTY.model()
    assert isinstance(topic, Guarded)
    assert isinstance(again, Guarded)
    again.load(topic.save())
    assert (again.faults, again.last_fault) == (1, topic.last_fault)


# -- document frequencies that grow --------------------------------------------------------------------------


def test_running_tf_idf_by_hand() -> None:
    """Before: nothing, so all weights are 1 and it is the plain cosine. Then two pages have rock, one jazz: N is 3
    with the page itself, df 3 of rock, 2 of jazz; idf 1 and 1 + ln 1.5."""
    topic = topic_model("jazz rock", running=True)
    assert isinstance(topic, Learner)
    made = page("jazz rock rock")
    assert topic.relevance(made) == pytest.approx(3 / math.sqrt(2 * 5))
    for text in ("rock", "rock jazz"):
        topic.observe(page(text))
    jazz = 1 + math.log(1.5)
    length = math.sqrt((jazz**2 + 4) * (jazz**2 + 1))
    assert topic.relevance(made) == pytest.approx((jazz**2 + 2) / length)
    assert topic.explain(made) == pytest.approx({"jazz": jazz**2 / length, "rock": 2 / length})
    assert topic.relevance(page("blues")) == 0.0


def crawled_by(topic: object, until: int | None = None) -> object:
    graph = {"s": "abc", "a": "de", "b": "fg", **dict.fromkeys("cdefg", "")}
    texts = {name: "jazz " * (i % 3) + "rock " * (i % 2 + 1) for i, name in enumerate("sabcdefg")}
    crawl = make_crawl(BestFirst(), topic=topic, budget=until or 100)  # type: ignore[arg-type]
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(graph, texts))
    return crawl


def running() -> object:
    return TopicSource(keywords="jazz", weighting="tf-idf", languages=("en",)).model()


def test_replay_equals_run_with_a_topic_that_learns() -> None:
    run = crawled_by(running())
    again = make_crawl(BestFirst(), topic=running(), budget=100)  # type: ignore[arg-type]
    again.replay(journal(run))  # type: ignore[arg-type]
    assert looks(again) == looks(run)  # type: ignore[arg-type]
    assert again.snapshot() == run.snapshot()  # type: ignore[attr-defined]
    assert again.snapshot().crawl["topic"]["documents"] == 8


def test_what_a_topic_learned_survives_a_restart() -> None:
    half = crawled_by(running(), until=4)
    kept = msgspec.msgpack.decode(msgspec.msgpack.encode(half.snapshot()), type=Snapshot)  # type: ignore[attr-defined]
    topic = running()
    again = make_crawl(BestFirst(), topic=topic, frontier=half.frontier, store=half.store)  # type: ignore
    again.restore(kept)
    assert topic.relevance(page("jazz rock")) == half.topic.relevance(page("jazz rock"))  # type: ignore[attr-defined]
    assert topic.relevance(page("jazz rock")) != running().relevance(page("jazz rock"))  # type: ignore[attr-defined]


# -- from the topic's words to judges ------------------------------------------------------------------------


def reading(**topic: object) -> Reading:
    web = GraphWeb()
    return Reading(TopicSpec(**topic), web, None, VirtualClock(), seeds=web.seeds(2))  # type: ignore[arg-type]


def source_of(**topic: object) -> TopicSource:
    return asyncio.run(topic_source(reading(**topic)))


def saved(path: Path, content: Mapping[str, object] = JAZZ) -> str:
    path.write_bytes(msgspec.json.encode(content))
    return str(path)


def test_a_models_file_judges(tmp_path: Path) -> None:
    source = source_of(model=saved(tmp_path / "m.json"))
    assert source.given == (TrainedModel(content=JAZZ),)
    assert source.model().relevance(page("jazz rock")) == 0.5


def test_a_predicate_brings_its_models_along(tmp_path: Path) -> None:
    file = saved(tmp_path / "m.json")
    source = source_of(predicate=f'classifier("{file}") > .6')
    assert source.given == (Predicate(expression=f'classifier("{file}") > .6', models={file: JAZZ}),)
    Path(file).unlink()
    assert source.model().relevance(page("jazz jazz rock")) == 1.0


def test_a_pickled_model_wants_the_users_word(tmp_path: Path) -> None:
    file = tmp_path / "m.pkl"
    file.write_bytes(pickle.dumps(Pipeline()))
    with pytest.raises(InputError, match="loading it runs what is in it; give --trust-model"):
        source_of(model=str(file))
    assert source_of(model=str(file), trust_model=True).model().relevance(page("jazz")) == 0.25


def test_a_strangers_folder_does_not_run_its_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "m.pkl"
    file.write_bytes(pickle.dumps(Pipeline()))
    source = source_of(model=str(file), trust_model=True)
    save_topic(source, Paths(tmp_path))
    assert load_topic(Paths(tmp_path)).given == source.given
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "of-somebody-else"))
    with pytest.raises(FolderError, match="nobody has vouched for it on this machine"):
        load_topic(Paths(tmp_path))


def test_a_function_is_looked_for_when_the_crawl_begins() -> None:
    assert source_of(function=HERE).model().relevance(page("jazz")) == 1.0
    with pytest.raises(InputError, match="has no 'gone'"):
        source_of(function=f"{__name__}:gone")


@pytest.mark.parametrize(
    ("content", "told"), [(None, "cannot be read: No such file"), (b"text", "is no topic model; make one")]
)
def test_files_that_are_no_models_are_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "m.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=told):
        source_of(model=str(file))
    with pytest.raises(InputError, match=told):
        source_of(predicate=f'classifier("{file}") > 0')


def test_start_pages_can_be_the_topic() -> None:
    """Both start pages as one text: each is similar to it, a page of other words is not."""
    source = source_of(like_start_pages=True)
    web = GraphWeb()
    first, second = (asyncio.run(reading().page(url)) for url in web.seeds(2))
    assert source.start_pages == {
        term: first.terms.get(term, 0) + second.terms.get(term, 0) for term in (*first.terms, *second.terms)
    }
    assert source.model().relevance(first) > 0.5
    assert source.model().relevance(page("xylophone")) == 0.0


def test_nothing_is_read_that_is_not_named() -> None:
    kinds: list[type[Input]] = [TrainedModel, Pickled, Predicate, PythonFunction]
    assert asyncio.run(read_inputs(reading(keywords=("jazz",)), kinds)) == []


def test_without_scikit_learn_what_to_install_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for absent in ("sklearn.linear_model", "joblib"):
        monkeypatch.setitem(sys.modules, absent, None)
    texts = [{"a": 1.0}, {"b": 1.0}, {"a": 2.0}, {"b": 2.0}]
    with pytest.raises(
        InputError, match=r"svm and logistic need scikit-learn: pip install 'lycosa\[learn\]'"
    ):
        trained("svm", texts, texts)
    assert trained("nb", texts, texts).probability({"a": 1.0}) == pytest.approx(0.5)
    with pytest.raises(InputError, match=r"m.pkl: a pickled model needs scikit-learn: pip install"):
        PickledTopic(Pickled(file="m.pkl", content=pickle.dumps(Pipeline())))
