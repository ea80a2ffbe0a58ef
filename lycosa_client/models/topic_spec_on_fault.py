from enum import StrEnum

class TopicSpecOnFault(StrEnum):
    GO_ON = "go-on"
    HALT = "halt"

    def __str__(self) -> str:
        return str(self.value)
