"""Ranking functions, from the files that `lycosa evolve` made."""

from __future__ import annotations

import json
from pathlib import Path

from lycosa.crawl.inputs import Ranking
from lycosa.model.errors import InputError
from lycosa.scoring.links.ranking import RankingFunction
from lycosa.sources.reading import Reading


async def read_ranking(reading: Reading) -> Ranking | None:
    """The ranking that the topic names. Raises `InputError` for a file that cannot be used."""
    return ranking_in(Path(reading.topic.ranking)) if reading.topic.ranking else None


def ranking_in(path: Path) -> Ranking:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: is no ranking; make one with `lycosa evolve`")
    RankingFunction.of_content(content, str(path))
    return Ranking(content=content)
