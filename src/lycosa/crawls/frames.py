"""A crawl's pages as tables of other libraries, which are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from lycosa.crawls.answers import PageRow
from lycosa.model.errors import InputError
from lycosa.store.history import Listed

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

Line = PageRow | Listed
"""A row, or what has its columns."""

_TYPES: Final[Mapping[Any, str]] = {
    int: "int64",
    float: "float64",
    float | None: "float64",
    tuple[str, ...]: "list<string>",
}
ROW_GROUP = 2_000
"""Pages held as Python values at a time while a table is made."""


def encodable(value: Any) -> Any:
    """Text without halves of surrogate pairs, which UTF-8 cannot hold; any other value as it is."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    return [encodable(each) for each in value] if isinstance(value, tuple) else value


def fields_of(row: Line) -> dict[str, Any]:
    """The row's fields by name, in their order."""
    names, cells = shape_of(PageRow if isinstance(row, Listed) else type(row))
    return dict(zip(names, cells(row), strict=True))


def values_of(row: Line) -> dict[str, Any]:
    """The same, encodable; what is several is a list."""
    return {name: encodable(value) for name, value in fields_of(row).items()}


Shape = tuple[tuple[str, ...], Callable[[Line], tuple[Any, ...]]]
_shapes: dict[type[PageRow], Shape] = {}


def shape_of(row_type: type[PageRow]) -> Shape:
    """The names of the columns of such rows, and what takes them out of a row or a line of a table."""
    if (found := _shapes.get(row_type)) is None:
        names = columns_of(row_type)
        found = _shapes[row_type] = names, attrgetter(*names)
    return found


def columns_of(row_type: type[PageRow]) -> tuple[str, ...]:
    """The names of the columns of such rows, in their order."""
    return tuple(row_type.__dataclass_fields__)


def column_types(row_type: type[PageRow] = PageRow) -> dict[str, str]:
    """What each column holds: `int64`, `float64`, `string`, `list<string>` or `time`."""
    hints = get_type_hints(row_type)
    types = {name: _TYPES.get(hints[name], "string") for name in columns_of(row_type)}
    return {**types, "fetched_at": "time"}


def arrow_schema(row_type: type[PageRow] = PageRow) -> pyarrow.Schema:
    """The columns of these rows with their types; times are timestamps in milliseconds, UTC."""
    pa = _pyarrow()
    kinds = {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "string": pa.string(),
        "list<string>": pa.list_(pa.string()),
        "time": pa.timestamp("ms", "UTC"),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in column_types(row_type).items()])


def arrow_tables(rows: Iterable[Line], row_type: type[PageRow] = PageRow) -> Iterator[pyarrow.Table]:
    """The pages, some thousands a table. Raises `InputError` without pyarrow."""
    schema, stream, (_, cells) = arrow_schema(row_type), iter(rows), shape_of(row_type)
    while group := list(map(cells, islice(stream, ROW_GROUP))):
        columns = zip(*group, strict=True)
        yield _pyarrow().table([_column(*each) for each in zip(columns, schema.types, strict=True)], schema)


def _column(values: Sequence[Any], kind: Any) -> Any:
    try:
        return _pyarrow().array(values, kind)
    except UnicodeEncodeError:  # half a surrogate pair
        return _pyarrow().array(list(map(encodable, values)), kind)


def arrow_table(rows: Iterable[Line], row_type: type[PageRow] = PageRow) -> pyarrow.Table:
    """All pages as one table. Raises `InputError` without pyarrow."""
    tables = list(arrow_tables(rows, row_type))
    return _pyarrow().concat_tables(tables) if tables else arrow_schema(row_type).empty_table()


def data_frame(rows: Iterable[Line], row_type: type[PageRow] = PageRow) -> pandas.DataFrame:
    """All pages as a data frame, a column a field. Raises `InputError` without pandas or pyarrow."""
    try:
        import pandas  # noqa: F401 - only whether it is there
    except ImportError:
        raise InputError(
            "a data frame needs pandas, which is not installed: pip install 'lycosa[pandas]'"
        ) from None
    return arrow_table(rows, row_type).to_pandas()


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            "Arrow tables and Parquet need pyarrow, which is not installed: pip install 'lycosa[parquet]'"
        ) from None
    return pyarrow
