from enum import StrEnum

class PolitenessSpecNofollow(StrEnum):
    IGNORE = "ignore"
    OBEY = "obey"

    def __str__(self) -> str:
        return str(self.value)
