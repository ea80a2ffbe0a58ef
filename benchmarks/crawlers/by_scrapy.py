"""Scrapy as its documentation shows it: a CrawlSpider with a LinkExtractor. Robots obeyed, no delay, nothing stored."""

from __future__ import annotations

import sys
from typing import ClassVar
from urllib.parse import urlsplit

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Manuals(CrawlSpider):
    name = "manuals"
    start_urls: ClassVar = [sys.argv[1]]
    allowed_domains: ClassVar = [urlsplit(sys.argv[1]).hostname]
    rules: ClassVar = [Rule(LinkExtractor(), callback="page", follow=True)]
    pages = 0

    def page(self, response):
        self.pages += 1


process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
)
crawler = process.create_crawler(Manuals)
process.crawl(crawler)
process.start()
print("pages", crawler.spider.pages + 1)  # the start page has no callback
