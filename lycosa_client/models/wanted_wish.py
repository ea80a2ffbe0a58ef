from enum import StrEnum

class WantedWish(StrEnum):
    GO_ON = "go-on"
    PAUSE = "pause"
    STOP = "stop"

    def __str__(self) -> str:
        return str(self.value)
