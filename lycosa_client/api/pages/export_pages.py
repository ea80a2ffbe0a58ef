from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.export_pages_to import ExportPagesTo
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    name: str,
    *,
    to: ExportPagesTo | Unset = ExportPagesTo.JSONL,
    text: bool | Unset = True,
    all_visits: bool | Unset = False,
    best_first: bool | Unset = False,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    json_to: str | Unset = UNSET
    if not isinstance(to, Unset):
        json_to = to.value

    params["to"] = json_to

    params["text"] = text

    params["all_visits"] = all_visits

    params["best_first"] = best_first


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/crawls/{name}/export".format(name=quote(str(name), safe=""),),
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | None:
    if response.status_code == 200:
        response_200 = cast(Any, response.content)
        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())



        return response_401

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())



        return response_404

    if response.status_code == 421:
        response_421 = Problem.from_dict(response.json())



        return response_421

    if response.status_code == 500:
        response_500 = Problem.from_dict(response.json())



        return response_500

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    to: ExportPagesTo | Unset = ExportPagesTo.JSONL,
    text: bool | Unset = True,
    all_visits: bool | Unset = False,
    best_first: bool | Unset = False,

) -> Response[Any | Problem]:
    """ Write all pages of a crawl as one file.

    Args:
        name (str):
        to (ExportPagesTo | Unset):  Default: ExportPagesTo.JSONL.
        text (bool | Unset):  Default: True.
        all_visits (bool | Unset):  Default: False.
        best_first (bool | Unset):  Default: False.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
to=to,
text=text,
all_visits=all_visits,
best_first=best_first,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    to: ExportPagesTo | Unset = ExportPagesTo.JSONL,
    text: bool | Unset = True,
    all_visits: bool | Unset = False,
    best_first: bool | Unset = False,

) -> Any | Problem | None:
    """ Write all pages of a crawl as one file.

    Args:
        name (str):
        to (ExportPagesTo | Unset):  Default: ExportPagesTo.JSONL.
        text (bool | Unset):  Default: True.
        all_visits (bool | Unset):  Default: False.
        best_first (bool | Unset):  Default: False.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
     """


    return sync_detailed(
        name=name,
client=client,
to=to,
text=text,
all_visits=all_visits,
best_first=best_first,

    ).parsed

async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    to: ExportPagesTo | Unset = ExportPagesTo.JSONL,
    text: bool | Unset = True,
    all_visits: bool | Unset = False,
    best_first: bool | Unset = False,

) -> Response[Any | Problem]:
    """ Write all pages of a crawl as one file.

    Args:
        name (str):
        to (ExportPagesTo | Unset):  Default: ExportPagesTo.JSONL.
        text (bool | Unset):  Default: True.
        all_visits (bool | Unset):  Default: False.
        best_first (bool | Unset):  Default: False.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
to=to,
text=text,
all_visits=all_visits,
best_first=best_first,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    to: ExportPagesTo | Unset = ExportPagesTo.JSONL,
    text: bool | Unset = True,
    all_visits: bool | Unset = False,
    best_first: bool | Unset = False,

) -> Any | Problem | None:
    """ Write all pages of a crawl as one file.

    Args:
        name (str):
        to (ExportPagesTo | Unset):  Default: ExportPagesTo.JSONL.
        text (bool | Unset):  Default: True.
        all_visits (bool | Unset):  Default: False.
        best_first (bool | Unset):  Default: False.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
     """


    return (await asyncio_detailed(
        name=name,
client=client,
to=to,
text=text,
all_visits=all_visits,
best_first=best_first,

    )).parsed
