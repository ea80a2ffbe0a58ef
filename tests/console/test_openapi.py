"""The description of the interface: valid, whole, and good enough that a client made from it works."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.console.browsing import (
    PHONE,
    SEED,
    crawled,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)

from lycosa.console.app import OPERATIONS
from lycosa.console.openapi import described
from lycosa.console.running import Address


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return described(OPERATIONS)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("crawls")
    crawled(place / "first", 15)
    with served(place) as found:
        yield found


def test_it_is_what_the_server_answers_and_valid(told: dict[str, Any], address: Address) -> None:
    answered = httpx.get(f"{address.origin}/api/v1/openapi.json")
    assert answered.headers["content-type"] == "application/json"
    assert answered.json() == told
    OpenAPIV31SpecValidator(told).validate()


def test_every_operation_is_described(told: dict[str, Any]) -> None:
    for each in OPERATIONS:
        found = told["paths"][each.path][each.method.lower()]
        assert found["operationId"] == each.name
        assert re.fullmatch(r"[A-Z].*[.]", found["summary"]), each.name
        assert {one["name"] for one in found.get("parameters", ())} == set(each.takes.__struct_fields__)
        assert {"400", "401", "404", "421", "500"} <= set(found["responses"])
    assert not [name for name in told["components"]["schemas"] if "." in name], "two records of one name"
    names = [each.name for each in OPERATIONS]
    assert len(names) == len(set(names)), "names of operations are the names of functions in clients"


def test_fields_have_the_descriptions_of_the_records(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    assert schemas["Status"]["properties"]["last_at"]["description"] == "The time of the last step."
    assert schemas["PageRow"]["properties"]["nothing_new"]["description"].startswith("Why the page counts as")
    [after] = [
        one for one in told["paths"]["/crawls/{name}/pages"]["get"]["parameters"] if one["name"] == "after"
    ]
    assert after["description"] == "The token of an earlier answer; empty: from the start."
    events = told["paths"]["/crawls/{name}/events"]["get"]["responses"]["200"]["content"]
    assert list(events) == ["text/event-stream"]


@pytest.fixture(scope="module")
def client(address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A client that is made from the description as the server answers it."""
    place = tmp_path_factory.mktemp("made")
    config = place / "config.json"
    config.write_text('{"post_hooks": []}')
    command = [
        "generate",
        "--url",
        f"{address.origin}/api/v1/openapi.json",
        "--meta",
        "none",
        "--fail-on-warning",
        f"--config={config}",
        f"--output-path={place / 'made_client'}",
    ]
    subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *command],
        check=True,
        capture_output=True,
        timeout=120,
    )
    sys.path.insert(0, str(place))
    try:
        yield importlib.import_module("made_client")
    finally:
        sys.path.remove(str(place))


def call(client: ModuleType, address: Address, where: str, **given: Any) -> Any:
    """What a generated function returns."""
    module = importlib.import_module(f"made_client.api.{where}")
    found = client.Client(base_url=f"{address.origin}/api/v1", raise_on_unexpected_status=True)
    return module.sync(client=found, **given)


def test_a_generated_client_reads_a_crawl(client: ModuleType, address: Address) -> None:
    [held] = call(client, address, "crawls.list_crawls")
    assert (held.name, held.pages, held.state) == ("first", 15, "done")
    status = call(client, address, "crawls.crawl_status", name="first")
    assert status.pages == 15
    assert status.process is None
    first = call(client, address, "pages.list_pages", name="first", most=10)
    rest = call(client, address, "pages.list_pages", name="first", most=10, after=first.token)
    assert [len(first.pages), len(rest.pages)] == [10, 5]
    assert first.pages[0].url == SEED
    best = call(client, address, "pages.best_pages", name="first", most=3)
    assert [page.relevance for page in best] == sorted((page.relevance for page in best), reverse=True)
    assert call(client, address, "crawls.crawl_outlook", name="first") is None
    happened = call(client, address, "crawls.crawl_happenings", name="first", most=5)
    assert next(one.kind for one in happened.happenings) == "started"
    assert call(client, address, "figures.crawl_hosts", name="first")[0].pages > 0
    assert call(client, address, "figures.crawl_specification", name="first").topic.keywords == [
        "dinosaur fossil"
    ]
    assert any(one.name == "hunter" for one in call(client, address, "manuals.list_strategies"))


def test_a_generated_client_says_something(client: ModuleType, address: Address) -> None:
    models = importlib.import_module("made_client.models")
    [page] = call(client, address, "pages.best_pages", name="first", most=1)
    body = models.Marking(urls=[page.url], good=True)
    [mark] = call(client, address, "saying.mark_pages", name="first", body=body)
    assert (mark.url, mark.good, mark.step) == (page.url, True, None)
    [held] = call(client, address, "saying.list_marks", name="first")
    assert held.url == page.url
    heard = call(
        client, address, "crawls.ask_crawl", name="first", body=models.Wanted(wish=models.WantedWish.STOP)
    )
    assert heard.process is None


def test_a_generated_client_is_told_what_went_wrong(client: ModuleType, address: Address) -> None:
    problem = call(client, address, "crawls.crawl_status", name="none")
    assert type(problem).__name__ == "Problem"
    assert (problem.status, problem.detail) == (404, "none: there is no crawl of this name here")


@needs_chromium
def test_people_can_read_it_too(address: Address, chromium: Any) -> None:
    with tab(chromium, PHONE, dark=True) as page:
        page.goto(f"{address.origin}/api")
        assert page.locator("details#mark_pages").inner_text().startswith("POST")
        page.locator("details#mark_pages summary").press("Enter")
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, "api")
