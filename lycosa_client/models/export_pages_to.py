from enum import StrEnum

class ExportPagesTo(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    RAW_CSV = "raw-csv"

    def __str__(self) -> str:
        return str(self.value)
