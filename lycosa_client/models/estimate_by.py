from enum import StrEnum

class EstimateBy(StrEnum):
    CAPTURERECAPTURE = "capture–recapture"
    HELD_OUT_EXAMPLES = "held-out examples"

    def __str__(self) -> str:
        return str(self.value)
