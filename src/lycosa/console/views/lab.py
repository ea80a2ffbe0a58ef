"""The laboratory: all experiments, and one of them with its curves and tables, live while it runs."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.lab import list_experiments, told_within
from lycosa.console.rest.operation import Nothing

PATIENCE = 0.5
"""Seconds that the page waits for crawls to be read; it comes without numbers then, and gets them later."""
CURVES = ("recall", "harvest")
EVERY = 4
"""Seconds between two looks at an experiment that runs."""


async def lab(request: Request) -> Response:
    """`GET /lab`"""
    found = await asyncio.to_thread(list_experiments, desk_of(request), Nothing())
    return page(
        request, "lab.html", experiments=found, every=_every(any(e.state == "running" for e in found))
    )


async def experiment(request: Request) -> Response:
    """`GET /lab/{experiment}?setting=1&curve=harvest`"""
    name, query = request.path_params["experiment"], request.query_params
    told = await asyncio.to_thread(told_within, desk_of(request), name, PATIENCE)
    asked = query.get("setting", "0")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 0
    number = min(number, max(0, len(told.settings) - 1))
    curve = query.get("curve", "")
    return page(
        request,
        "lab_experiment.html",
        told=told,
        number=number,
        setting=told.settings[number] if told.settings else None,
        curve=curve if curve in CURVES else CURVES[0],
        curves=CURVES,
        every=_every(told.standing.state == "running" or not told.is_read),
    )


def _every(runs: bool) -> int:
    return EVERY if runs else 0


ROUTES = [Route("/lab", lab), Route("/lab/{experiment}", experiment)]
