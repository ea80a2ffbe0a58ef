"""What the docstrings below the fields of a class say of them: for descriptions that are made of the program itself."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from textwrap import dedent


@cache
def field_docs(kind: type) -> dict[str, str]:
    """The docstrings of the fields of a class and of those it is made of, each in one line; fields without one are left
    out.

    >>> from lycosa.model.records import Link
    >>> field_docs(Link)["anchor"]
    'The words inside the link, alternative texts of its images and its title.'
    """
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if each.__module__.startswith("lycosa."):
            found |= _of_one(each)
    return found


def _of_one(kind: type) -> dict[str, str]:
    node = ast.parse(dedent(inspect.getsource(kind))).body[0]
    assert isinstance(node, ast.ClassDef)
    found: dict[str, str] = {}
    field = ""
    for item in node.body:
        match item:
            case ast.AnnAssign(target=ast.Name(id=name)):
                field = name
            case ast.Expr(value=ast.Constant(value=str(text))) if field:
                found[field] = " ".join(text.split()).replace("``", "`")
                field = ""
            case _:
                field = ""
    return found
