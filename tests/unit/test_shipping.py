"""What the container and the forge are told about the project is true of it."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
STAGES = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]


def test_what_is_copied_into_an_image_exists() -> None:
    copied = re.findall(r"^COPY (?:--\S+ )*(.+) \S+$", DOCKERFILE, re.MULTILINE)
    assert copied
    for name in " ".join(copied).split():
        assert (ROOT / name).exists(), name


def test_what_the_package_is_built_from_is_copied() -> None:
    built = {"pyproject.toml", "src", PROJECT["readme"], *PROJECT["license-files"]}
    copied = " ".join(re.findall(r"^COPY (.+) \S+$", STAGES[-1], re.MULTILINE)).split()
    assert built <= set(copied)


def test_no_image_runs_as_root() -> None:
    for stage in STAGES:
        made, used = stage.index("useradd"), stage.index("USER spider")
        assert made < used < max(stage.find("\nCMD"), stage.find("\nENTRYPOINT"))


def test_images_start_from_a_named_python_that_lycosa_knows() -> None:
    for stage in STAGES:
        found = re.match(r"python:(\d+\.\d+)-slim AS \w+\n", stage)
        assert found is not None
        assert f"Programming Language :: Python :: {found[1]}" in PROJECT["classifiers"]


def test_commands_of_the_images_exist() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for named in re.findall(r"make (\w+)|\"make\", \"(\w+)\"", DOCKERFILE):
        assert (named[0] or named[1]) in targets
    assert PROJECT["scripts"].keys() == set(re.findall(r'^ENTRYPOINT \["(\w+)"\]', DOCKERFILE, re.MULTILINE))


def test_the_forge_tests_every_python_that_is_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    matrix = re.search(r"python: \[(.*)\]", WORKFLOW)
    assert matrix is not None
    assert re.findall(r'"([^"]+)"', matrix[1]) == promised


def test_the_forge_runs_what_everybody_runs() -> None:
    assert "- run: .ci/run\n" in WORKFLOW
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
