"""A server of language models as tests need one: real HTTP on loopback, and answers by a function of the test's."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Asked = dict[str, Any]


class Answer(NamedTuple):
    """What the server sends: a chat completion around `text`, or `body` as it is."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    wait: float = 0.0
    tokens: int | None = 100
    location: str = ""


GOOD, BAD = Answer('{"relevant": true}'), Answer('{"relevant": false}')


class ModelServer:
    """What was asked so far, in order, and how to answer the next."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.headers: list[dict[str, str]] = []
        self.port = 0

    @property
    def judge(self) -> str:
        return f"openai:http://127.0.0.1:{self.port}/v1#tiny"

    @property
    def pages(self) -> list[str]:
        """The URLs asked about."""
        return [page_in(asked)["url"] for asked in self.asked]


def page_in(asked: Asked) -> dict[str, str]:
    page = json.loads(asked["messages"][1]["content"])["page"]
    assert isinstance(page, dict)
    return page


@contextmanager
def model_server(answer: Callable[[Asked], Answer]) -> Iterator[ModelServer]:
    """Answers `POST /v1/chat/completions` until the block ends."""
    model = ModelServer(answer)
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append(asked)
            model.headers.append(dict(self.headers.items()))
            told = model.answer(asked) if self.path == "/v1/chat/completions" else Answer(status=404)
            over.wait(told.wait)
            body = told.body
            if body is None:
                usage = {} if told.tokens is None else {"usage": {"total_tokens": told.tokens}}
                body = json.dumps({"choices": [{"message": {"content": told.text}}], **usage}).encode()
            try:
                self.send_response(told.status)
                if told.location:
                    self.send_header("Location", told.location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # the asker went away
                self.close_connection = True

        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something that another process or thread brings about."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up
        threading.Event().wait(0.02)
