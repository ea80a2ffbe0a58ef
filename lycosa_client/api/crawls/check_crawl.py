from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.crawl_spec import CrawlSpec
from ...models.new_crawl import NewCrawl
from ...models.problem import Problem
from typing import cast



def _get_kwargs(
    *,
    body: NewCrawl,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}


    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/crawls/check",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> CrawlSpec | Problem | None:
    if response.status_code == 200:
        response_200 = CrawlSpec.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())



        return response_404

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())



        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())



        return response_415

    if response.status_code == 421:
        response_421 = Problem.from_dict(response.json())



        return response_421

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())



        return response_429

    if response.status_code == 500:
        response_500 = Problem.from_dict(response.json())



        return response_500

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[CrawlSpec | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewCrawl,

) -> Response[CrawlSpec | Problem]:
    """ Check a crawl without beginning it: the specification that it comes to.

    Args:
        body (NewCrawl): What to crawl. All but the topic and the start pages has the default of
            `lycosa crawl`.

                Nothing here names a file of this machine, so whoever may ask for a crawl reads
            nothing but the web.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CrawlSpec | Problem]
     """


    kwargs = _get_kwargs(
        body=body,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: NewCrawl,

) -> CrawlSpec | Problem | None:
    """ Check a crawl without beginning it: the specification that it comes to.

    Args:
        body (NewCrawl): What to crawl. All but the topic and the start pages has the default of
            `lycosa crawl`.

                Nothing here names a file of this machine, so whoever may ask for a crawl reads
            nothing but the web.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CrawlSpec | Problem
     """


    return sync_detailed(
        client=client,
body=body,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewCrawl,

) -> Response[CrawlSpec | Problem]:
    """ Check a crawl without beginning it: the specification that it comes to.

    Args:
        body (NewCrawl): What to crawl. All but the topic and the start pages has the default of
            `lycosa crawl`.

                Nothing here names a file of this machine, so whoever may ask for a crawl reads
            nothing but the web.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CrawlSpec | Problem]
     """


    kwargs = _get_kwargs(
        body=body,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: NewCrawl,

) -> CrawlSpec | Problem | None:
    """ Check a crawl without beginning it: the specification that it comes to.

    Args:
        body (NewCrawl): What to crawl. All but the topic and the start pages has the default of
            `lycosa crawl`.

                Nothing here names a file of this machine, so whoever may ask for a crawl reads
            nothing but the web.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CrawlSpec | Problem
     """


    return (await asyncio_detailed(
        client=client,
body=body,

    )).parsed
