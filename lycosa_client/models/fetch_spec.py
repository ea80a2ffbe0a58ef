from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="FetchSpec")



@_attrs_define
class FetchSpec:
    """ How pages are fetched from the live web. Times in seconds, sizes in bytes.

        Attributes:
            agent (str | Unset): The User-Agent to send. Empty: lycosa, its version and the contact. Default: ''.
            contact (str | Unset): A URL or e-mail address at which a site's owner can reach you; part of the User-Agent.
                Default: ''.
            width (int | Unset):  Default: 32.
            connect_timeout (float | Unset):  Default: 10.0.
            first_byte_timeout (float | Unset):  Default: 20.0.
            total_timeout (float | Unset):  Default: 60.0.
            max_bytes (int | Unset):  Default: 10485760.
            max_links (int | Unset): Distinct targets of a page; the links behind are left out, and `lycosa why` tells how
                many. 0: all count. Default: 3000.
            connect_to (list[str] | Unset):
            proxy (str | Unset):  Default: ''.
            allow_private (bool | Unset):  Default: False.
            verify_tls (bool | Unset):  Default: True.
            cookies (bool | Unset):  Default: False.
            referer (bool | Unset): Send a Referer, as browsers do: across hosts only the origin, from https to http
                nothing. Default: True.
     """

    agent: str | Unset = ''
    contact: str | Unset = ''
    width: int | Unset = 32
    connect_timeout: float | Unset = 10.0
    first_byte_timeout: float | Unset = 20.0
    total_timeout: float | Unset = 60.0
    max_bytes: int | Unset = 10485760
    max_links: int | Unset = 3000
    connect_to: list[str] | Unset = UNSET
    proxy: str | Unset = ''
    allow_private: bool | Unset = False
    verify_tls: bool | Unset = True
    cookies: bool | Unset = False
    referer: bool | Unset = True





    def to_dict(self) -> dict[str, Any]:
        agent = self.agent

        contact = self.contact

        width = self.width

        connect_timeout = self.connect_timeout

        first_byte_timeout = self.first_byte_timeout

        total_timeout = self.total_timeout

        max_bytes = self.max_bytes

        max_links = self.max_links

        connect_to: list[str] | Unset = UNSET
        if not isinstance(self.connect_to, Unset):
            connect_to = self.connect_to



        proxy = self.proxy

        allow_private = self.allow_private

        verify_tls = self.verify_tls

        cookies = self.cookies

        referer = self.referer


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if agent is not UNSET:
            field_dict["agent"] = agent
        if contact is not UNSET:
            field_dict["contact"] = contact
        if width is not UNSET:
            field_dict["width"] = width
        if connect_timeout is not UNSET:
            field_dict["connect_timeout"] = connect_timeout
        if first_byte_timeout is not UNSET:
            field_dict["first_byte_timeout"] = first_byte_timeout
        if total_timeout is not UNSET:
            field_dict["total_timeout"] = total_timeout
        if max_bytes is not UNSET:
            field_dict["max_bytes"] = max_bytes
        if max_links is not UNSET:
            field_dict["max_links"] = max_links
        if connect_to is not UNSET:
            field_dict["connect_to"] = connect_to
        if proxy is not UNSET:
            field_dict["proxy"] = proxy
        if allow_private is not UNSET:
            field_dict["allow_private"] = allow_private
        if verify_tls is not UNSET:
            field_dict["verify_tls"] = verify_tls
        if cookies is not UNSET:
            field_dict["cookies"] = cookies
        if referer is not UNSET:
            field_dict["referer"] = referer

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent = d.pop("agent", UNSET)

        contact = d.pop("contact", UNSET)

        width = d.pop("width", UNSET)

        connect_timeout = d.pop("connect_timeout", UNSET)

        first_byte_timeout = d.pop("first_byte_timeout", UNSET)

        total_timeout = d.pop("total_timeout", UNSET)

        max_bytes = d.pop("max_bytes", UNSET)

        max_links = d.pop("max_links", UNSET)

        connect_to = cast(list[str], d.pop("connect_to", UNSET))


        proxy = d.pop("proxy", UNSET)

        allow_private = d.pop("allow_private", UNSET)

        verify_tls = d.pop("verify_tls", UNSET)

        cookies = d.pop("cookies", UNSET)

        referer = d.pop("referer", UNSET)

        fetch_spec = cls(
            agent=agent,
            contact=contact,
            width=width,
            connect_timeout=connect_timeout,
            first_byte_timeout=first_byte_timeout,
            total_timeout=total_timeout,
            max_bytes=max_bytes,
            max_links=max_links,
            connect_to=connect_to,
            proxy=proxy,
            allow_private=allow_private,
            verify_tls=verify_tls,
            cookies=cookies,
            referer=referer,
        )

        return fetch_spec

