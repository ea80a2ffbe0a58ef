"""One question to a language model, by the chat endpoint of OpenAI's API, which most servers of models have."""

from __future__ import annotations

from typing import Self

import aiohttp
import msgspec
from yarl import URL

from lycosa.model.decoding import json_reader
from lycosa.model.errors import InputError
from lycosa.web.http.replies import Reply, Unanswered

KIND = "openai:"
LONGEST_ANSWER = 256 * 1024
"""Bytes; what is longer is no answer to our question."""
MOST_TOKENS = 1_000
"""That the model may write: its answer has ten, but some think aloud before."""
BYTES_A_TOKEN = 4
"""Where the endpoint does not tell what a call took. A rule of thumb for English."""


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    total_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_read = json_reader(_Completion)


class Chat:
    """Asks one model. Use it from one event loop, and `close` it in the same.

    Redirects are not followed, so the key goes nowhere else.
    """

    def __init__(self, base: str, model: str, *, key: str = "", seconds: float = 60.0) -> None:
        """`base` is the URL before `/chat/completions`, `key` the bearer token, `seconds` the longest of a call."""
        self.base, self.model = base.rstrip("/"), model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = aiohttp.ClientTimeout(total=seconds)
        self._session: aiohttp.ClientSession | None = None

    @classmethod
    def of(cls, written: str, *, key: str = "", seconds: float = 60.0) -> Self:
        """That of `openai:URL#MODEL`. Raises `InputError`.

        >>> Chat.of("openai:http://localhost:11434/v1#qwen3").model
        'qwen3'
        """
        base, _, model = written.removeprefix(KIND).partition("#")
        try:
            url = URL(base)
        except ValueError:
            url = URL()
        if not written.startswith(KIND) or url.scheme not in ("http", "https") or not url.host or not model:
            raise InputError(
                f"--judge {written!r}: write openai:URL#MODEL, as in openai:http://localhost:11434/v1#qwen3"
            )
        if url.user or url.password or url.query_string:
            raise InputError("--judge: leave user, password and query out of the URL; set LYCOSA_JUDGE_KEY")
        return cls(base, model, key=key, seconds=seconds)

    async def ask(self, instruction: str, question: str) -> Reply | Unanswered:
        """One call. Never raises for what a server does."""
        asked = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": instruction},
                {"role": "user", "content": question},
            ],
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
        }
        try:
            return await self._exchange(asked, len(instruction.encode()) + len(question.encode()))
        except aiohttp.ClientConnectorError as error:
            return Unanswered(why=f"no connection ({_words(error.os_error)})", began=False)
        except aiohttp.ConnectionTimeoutError:
            return Unanswered(why="no connection in time", began=False)
        except TimeoutError:
            return Unanswered(why=f"no answer within {self._timeout.total:g} s", began=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Unanswered(why=_words(error), began=True)

    async def _exchange(self, asked: object, size: int) -> Reply | Unanswered:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout, cookie_jar=aiohttp.DummyCookieJar())
        url = URL(f"{self.base}/chat/completions")
        async with self._session.post(url, json=asked, headers=self._headers, allow_redirects=False) as reply:
            if reply.status != 200:
                return Unanswered(why=f"it answered {reply.status} {reply.reason or ''}".strip(), began=False)
            body = b""
            async for chunk in reply.content.iter_any():
                body += chunk
                if len(body) > LONGEST_ANSWER:
                    return Unanswered(why="its answer has no end", began=True)
        try:
            completion = _read(body)
            text = completion.choices[0].message.content or ""
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError):
            return Unanswered(why="it does not answer as a chat endpoint does", began=False)
        tokens = completion.usage.total_tokens if completion.usage else 0
        return Reply(text=text, tokens=max(tokens, 0) or -(-(size + len(text.encode())) // BYTES_A_TOKEN))

    async def close(self) -> None:
        """Close the connection, if there is one."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def _words(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:200]
