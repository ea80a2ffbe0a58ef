from enum import StrEnum

class FrontierSpecOrder(StrEnum):
    EAGER = "eager"
    PACED = "paced"
    STRICT = "strict"

    def __str__(self) -> str:
        return str(self.value)
