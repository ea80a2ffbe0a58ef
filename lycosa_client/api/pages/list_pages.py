from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.pages import Pages
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    name: str,
    *,
    after: str | Unset = '',
    most: int | Unset = 100,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["after"] = after

    params["most"] = most


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/crawls/{name}/pages".format(name=quote(str(name), safe=""),),
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Pages | Problem | None:
    if response.status_code == 200:
        response_200 = Pages.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Pages | Problem]:
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
    after: str | Unset = '',
    most: int | Unset = 100,

) -> Response[Pages | Problem]:
    """ List the pages of a crawl in the order of the crawl, from a token on, without their texts.

    Args:
        name (str):
        after (str | Unset):  Default: ''.
        most (int | Unset):  Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Pages | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
after=after,
most=most,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    after: str | Unset = '',
    most: int | Unset = 100,

) -> Pages | Problem | None:
    """ List the pages of a crawl in the order of the crawl, from a token on, without their texts.

    Args:
        name (str):
        after (str | Unset):  Default: ''.
        most (int | Unset):  Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Pages | Problem
     """


    return sync_detailed(
        name=name,
client=client,
after=after,
most=most,

    ).parsed

async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    after: str | Unset = '',
    most: int | Unset = 100,

) -> Response[Pages | Problem]:
    """ List the pages of a crawl in the order of the crawl, from a token on, without their texts.

    Args:
        name (str):
        after (str | Unset):  Default: ''.
        most (int | Unset):  Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Pages | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
after=after,
most=most,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient | Client,
    after: str | Unset = '',
    most: int | Unset = 100,

) -> Pages | Problem | None:
    """ List the pages of a crawl in the order of the crawl, from a token on, without their texts.

    Args:
        name (str):
        after (str | Unset):  Default: ''.
        most (int | Unset):  Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Pages | Problem
     """


    return (await asyncio_detailed(
        name=name,
client=client,
after=after,
most=most,

    )).parsed
