from enum import StrEnum

class CrawlSpecProfile(StrEnum):
    S2 = "s2"
    VALUE_0 = ""

    def __str__(self) -> str:
        return str(self.value)
