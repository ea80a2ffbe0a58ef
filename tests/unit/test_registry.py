"""Names of strategies, their parameters, and what other packages bring."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from lycosa.crawl.inputs import Examples, Query
from lycosa.crawl.strategy import Strategy, View
from lycosa.model import naming
from lycosa.model.commands import Command
from lycosa.model.errors import InputError
from lycosa.model.naming import Parameter
from lycosa.model.records import Page
from lycosa.spec import registry
from lycosa.spec.registry import (
    ENTRY_POINT_GROUP,
    describe,
    inputs_asked,
    parameters_of,
    strategy,
    strategy_class,
    strategy_names,
)
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.wrappers.wrapper import Batches, Explore


class Tuned(Strategy):
    """Has parameters of every kind,
    and a summary of two lines.

    The rest of the manual.
    """

    reference = "A made-up work"

    def __init__(
        self,
        batch: Annotated[int, msgspec.Meta(ge=1, le=256)] = 16,
        *,
        share: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.5,
        greedy: bool = False,
        mode: Literal["max", "sum"] = "max",
        name: str = "",
        limit: int | None = None,
        plain=3,  # type: ignore[no-untyped-def]
    ) -> None:
        self.given = (batch, share, greedy, mode, name, limit, plain)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return ()


class NotAStrategy:
    pass


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    here = sys.modules[__name__].__name__
    named = {"tuned": f"{here}:Tuned", "odd": f"{here}:NotAStrategy"}
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, **named})


def test_the_first_citizens_are_registered() -> None:
    assert {"best-first", "breadth-first", "random"} <= set(strategy_names())
    assert strategy_names() == sorted(strategy_names())
    assert isinstance(strategy("best-first"), BestFirst)
    assert isinstance(strategy(" best-first : "), BestFirst)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("best-fist", "there is no strategy 'best-fist'; did you mean 'best-first'?"),
        ("bredth", "there is no strategy 'bredth'; did you mean 'breadth-first'?"),
        ("best-first:n=3", "strategy 'best-first' has no parameter 'n'; there are: none"),
    ],
)
def test_an_unknown_name_suggests_the_closest(given: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        strategy(given)
    assert str(caught.value) == told


def test_each_built_in_strategy_stands_in_one_family() -> None:
    members = [name for names in registry.FAMILIES.values() for name in names]
    assert sorted(members) == sorted(registry.BUILT_IN)


def test_a_name_like_no_other_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="there is no strategy 'qqq'; there are: best-first, bfs-n"):
        strategy("qqq")


@pytest.mark.usefixtures("tuned")
def test_parameters_are_converted_by_their_types() -> None:
    made = strategy("tuned: batch = 64 ,share=.25,greedy=true,mode=sum,name=x y,limit=7,plain=9")
    assert isinstance(made, Tuned)
    assert made.given == (64, 0.25, True, "sum", "x y", 7, "9")
    default = strategy("tuned")
    assert isinstance(default, Tuned)
    assert default.given == (16, 0.5, False, "max", "", None, 3)


@pytest.mark.usefixtures("tuned")
@pytest.mark.parametrize("given", ["batch=1", "batch=256", "share=0.001", "share=0.999"])
def test_values_at_the_bounds_are_taken(given: str) -> None:
    assert isinstance(strategy(f"tuned:{given}"), Tuned)


@pytest.mark.usefixtures("tuned")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("batch=0", "batch=0 is out of range: expected `int` >= 1"),
        ("batch=257", "batch=257 is out of range: expected `int` <= 256"),
        ("share=0", "share=0 is out of range: expected `float` > 0.0"),
        ("share=1", "share=1 is out of range: expected `float` < 1.0"),
        ("share=nan", "share=nan is not a finite number"),
        ("share=inf", "share=inf is not a finite number"),
        ("batch=many", "batch=many is not of type int"),
        ("batch=1.5", "batch=1.5 is not of type int"),
        ("greedy=perhaps", "greedy=perhaps is not of type bool"),
        ("mode=min", "mode=min is not of type Literal['max', 'sum']"),
    ],
)
def test_values_of_the_wrong_type_or_out_of_range(given: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        strategy(f"tuned:{given}")
    assert str(caught.value) == f"strategy 'tuned': {told}"


@pytest.mark.usefixtures("tuned")
def test_malformed_parameters() -> None:
    with pytest.raises(InputError, match="strategy 'tuned': 'batch' is not parameter=value"):
        strategy("tuned:batch")
    with pytest.raises(InputError, match="has no parameter 'bach'; did you mean 'batch'"):
        strategy("tuned:bach=3")


def test_parameters_and_bounds_are_told() -> None:
    told = {parameter.name: parameter for parameter in parameters_of(Tuned)}
    assert list(told) == ["batch", "share", "greedy", "mode", "name", "limit", "plain"]
    assert told["batch"] == Parameter(name="batch", type="int", default=16, least=1, most=256)
    assert told["share"] == Parameter(name="share", type="float", default=0.5, least=0, most=1)
    assert told["greedy"] == Parameter(name="greedy", type="bool", default=False)
    assert told["limit"].type == "int | None"
    assert parameters_of(BestFirst) == ()


@pytest.mark.usefixtures("tuned")
def test_a_description_has_the_manual() -> None:
    told = describe("tuned")
    assert told.summary == "Has parameters of every kind, and a summary of two lines."
    assert told.manual.endswith("The rest of the manual.")
    assert told.reference == "A made-up work"


@pytest.mark.usefixtures("tuned")
def test_what_is_no_strategy_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"'odd' is registered as .*NotAStrategy.* is no lycosa Strategy class"
    ):
        strategy_class("odd")


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings one strategy that works and one that does not."""
    (tmp_path / "spiders_of_others.py").write_text(
        "from lycosa.strategies.order import BreadthFirst\n\n\nclass Theirs(BreadthFirst):\n    'Theirs.'\n"
    )
    info = tmp_path / "spiders_of_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spiders-of-others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{ENTRY_POINT_GROUP}]\ntheirs = spiders_of_others:Theirs\ntorn = spiders_of_others:Missing\n"
        "random = spiders_of_others:Theirs\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    naming.brought.cache_clear()
    yield
    naming.brought.cache_clear()
    sys.modules.pop("spiders_of_others", None)


@pytest.mark.usefixtures("brought")
def test_other_packages_bring_strategies() -> None:
    assert "theirs" in strategy_names()
    assert type(strategy("theirs")).__module__ == "spiders_of_others"
    assert describe("theirs").summary == "Theirs."


@pytest.mark.usefixtures("brought")
def test_a_built_in_name_cannot_be_taken() -> None:
    assert strategy_names().count("random") == 1
    assert type(strategy("random")).__module__ == "lycosa.strategies.order"


@pytest.mark.usefixtures("brought")
def test_a_broken_package_says_so_and_hurts_nobody_else() -> None:
    with pytest.raises(InputError, match="strategy 'torn' cannot be loaded: AttributeError"):
        strategy("torn")
    assert isinstance(strategy("best-first"), BestFirst)


class Thirsty(Strategy):
    """Needs the query, and can do without examples."""

    def __init__(self, query: Query, examples: Examples | None, *, width: int = 5) -> None:
        self.query, self.examples, self.width = query, examples, width

    def on_page(self, page: Page, crawl: View) -> list[Command]:
        return []


@pytest.fixture
def thirsty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "thirsty": f"{__name__}:Thirsty"})


@pytest.mark.usefixtures("thirsty")
def test_inputs_are_given_by_their_type() -> None:
    query, pages = Query(terms={"reef": 1}), Examples(pages=({"coral": 2},))
    made = registry.strategy("thirsty:width=3", [pages, query])
    assert isinstance(made, Thirsty)
    assert (made.query, made.examples, made.width) == (query, pages, 3)
    sparing = registry.strategy("thirsty", [query])
    assert isinstance(sparing, Thirsty)
    assert sparing.examples is None
    with pytest.raises(InputError, match="strategy 'thirsty' needs keywords: give the topic in words"):
        registry.strategy("thirsty", [pages])


@pytest.mark.usefixtures("thirsty")
def test_inputs_are_told_and_are_no_parameters() -> None:
    told = registry.describe("thirsty")
    assert told.inputs == ("keywords",)
    assert [parameter.name for parameter in told.parameters] == ["width"]
    with pytest.raises(InputError, match="no parameter 'query'"):
        registry.strategy("thirsty:query=x", [Query(terms={})])


def test_wrappers_go_around_a_strategy_the_first_innermost() -> None:
    made = strategy("best-first+explore:epsilon=1e-2+batches:n=4")
    assert isinstance(made, Batches)
    assert made.n == 4
    assert isinstance(made.inner, Explore)
    assert made.inner.epsilon == 0.01
    assert isinstance(made.inner.inner, BestFirst)


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        ("best-first+batchs", "no wrapper; did you mean 'batches'"),
        ("best-first+shark", "'shark' is no wrapper"),
        ("batches:n=3", r"write best-first\+batches:n=3"),
        ("best-first+batches:n=0", "out of range"),
        ("best-first+batches:m=1", "no parameter 'm'"),
    ],
)
def test_what_cannot_be_wrapped_is_told(specification: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        strategy(specification)


def test_the_inner_strategy_is_no_parameter() -> None:
    assert [parameter.name for parameter in describe("batches").parameters] == ["n"]
    assert inputs_asked("shark+batches") == [Query]
