from enum import StrEnum

class TopicSpecWeighting(StrEnum):
    TF = "tf"
    TF_IDF = "tf-idf"

    def __str__(self) -> str:
        return str(self.value)
