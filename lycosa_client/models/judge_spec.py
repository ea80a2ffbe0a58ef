from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="JudgeSpec")



@_attrs_define
class JudgeSpec:
    """ A language model that is asked about a few pages while the crawl runs; its answers count as a person's marks.

        Attributes:
            model (str | Unset): `openai:URL#MODEL`: the base URL of an endpoint that speaks as OpenAI's does, up to `/v1`,
                and the model's name there. The key is read from the environment, `LYCOSA_JUDGE_KEY`, and never written.
                Default: ''.
            calls (int | Unset): The most calls in all. What the endpoint refuses is not counted. Default: 50.
            tokens (int | Unset): Begin no call once questions and answers took so many tokens; the last call may go beyond.
                0: no limit. Default: 0.
            timeout (float | Unset): The longest that one call may take. Default: 60.0.
     """

    model: str | Unset = ''
    calls: int | Unset = 50
    tokens: int | Unset = 0
    timeout: float | Unset = 60.0





    def to_dict(self) -> dict[str, Any]:
        model = self.model

        calls = self.calls

        tokens = self.tokens

        timeout = self.timeout


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if model is not UNSET:
            field_dict["model"] = model
        if calls is not UNSET:
            field_dict["calls"] = calls
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if timeout is not UNSET:
            field_dict["timeout"] = timeout

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model", UNSET)

        calls = d.pop("calls", UNSET)

        tokens = d.pop("tokens", UNSET)

        timeout = d.pop("timeout", UNSET)

        judge_spec = cls(
            model=model,
            calls=calls,
            tokens=tokens,
            timeout=timeout,
        )

        return judge_spec

