from enum import StrEnum

class FrontierSpecTie(StrEnum):
    FIFO = "fifo"
    LIFO = "lifo"
    RANDOM = "random"

    def __str__(self) -> str:
        return str(self.value)
