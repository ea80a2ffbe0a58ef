"""Crawlee's ParselCrawler: robots obeyed, nothing stored but its own queue in memory."""

from __future__ import annotations

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

pages = 0


async def main() -> None:
    crawler = ParselCrawler(
        respect_robots_txt_file=True,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(desired_concurrency=16, max_concurrency=16),
        configure_logging=False,
        keep_alive=False,
    )

    @crawler.router.default_handler
    async def page(context: ParselCrawlingContext) -> None:
        global pages
        pages += 1
        await context.enqueue_links()

    await crawler.run([sys.argv[1]])


logging.disable(logging.WARNING)
asyncio.run(main())
print("pages", pages)
