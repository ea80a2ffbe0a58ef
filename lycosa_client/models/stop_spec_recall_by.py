from enum import StrEnum

class StopSpecRecallBy(StrEnum):
    CAPTURES = "captures"
    HELD_OUT = "held-out"
    VALUE_0 = ""

    def __str__(self) -> str:
        return str(self.value)
