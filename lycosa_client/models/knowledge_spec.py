from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="KnowledgeSpec")



@_attrs_define
class KnowledgeSpec:
    """ What is known of words before the first page is read. All of it is read once, when the crawl begins.

        Attributes:
            word_frequencies (str | Unset): Know how common words are in this language, by ISO 639-1 code or by name.
                Default: ''.
            thesaurus (str | Unset): Synonyms of the keywords: a file of lines `WORD: SYNONYM, SYNONYM`, or `wn:LEXICON` of
                the package wn. Default: ''.
            vectors (str | Unset): Word vectors: text of lines `WORD NUMBER NUMBER …` (word2vec, GloVe), or `NAME.npy`
                beside `NAME.txt`, which has the words, a line each. Default: ''.
     """

    word_frequencies: str | Unset = ''
    thesaurus: str | Unset = ''
    vectors: str | Unset = ''





    def to_dict(self) -> dict[str, Any]:
        word_frequencies = self.word_frequencies

        thesaurus = self.thesaurus

        vectors = self.vectors


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if word_frequencies is not UNSET:
            field_dict["word_frequencies"] = word_frequencies
        if thesaurus is not UNSET:
            field_dict["thesaurus"] = thesaurus
        if vectors is not UNSET:
            field_dict["vectors"] = vectors

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        word_frequencies = d.pop("word_frequencies", UNSET)

        thesaurus = d.pop("thesaurus", UNSET)

        vectors = d.pop("vectors", UNSET)

        knowledge_spec = cls(
            word_frequencies=word_frequencies,
            thesaurus=thesaurus,
            vectors=vectors,
        )

        return knowledge_spec

