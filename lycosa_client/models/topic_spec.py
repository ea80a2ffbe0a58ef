from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.topic_spec_on_fault import TopicSpecOnFault
from ..models.topic_spec_weighting import TopicSpecWeighting
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.knowledge_spec import KnowledgeSpec





T = TypeVar("T", bound="TopicSpec")



@_attrs_define
class TopicSpec:
    """ What the crawl is about.

        Attributes:
            keywords (list[str] | Unset):
            description (str | Unset): A text about the topic. It counts like a page about it. Default: ''.
            examples (list[str] | Unset):
            hold_out (float | Unset): Hide this share of the example pages given by URL from the crawl, those of the
                taxonomy's good categories too: how many of them it finds tells its recall. Start pages are never hidden.
                Default: 0.0.
            languages (list[str] | Unset): By ISO 639-1 code or by name; a page in another known language has relevance 0.
                Empty: any.
            taxonomy (str | Unset): A JSON or TOML file, or a folder of folders of example pages. Default: ''.
            good (list[str] | Unset): The categories of the taxonomy to look for, as paths such as `Sports/Cycling`.
            ontology (str | Unset):  Default: ''.
            focus (list[str] | Unset): The concepts of the ontology to look for, by name or label.
            model (str | Unset):  Default: ''.
            trust_model (bool | Unset):  Default: False.
            predicate (str | Unset):  Default: ''.
            function (str | Unset):  Default: ''.
            on_fault (TopicSpecOnFault | Unset): What to do when a predicate, a pickled model or a function fails on a page:
                `go-on` keeps the page, with relevance 0, `halt` stops the crawl. Default: TopicSpecOnFault.GO_ON.
            like_start_pages (bool | Unset): Take the start pages, as one text, for a text about the topic. Default: False.
            weighting (TopicSpecWeighting | Unset): How words of keywords, description and start pages count: `tf` all
                alike, `tf-idf` less if more pages of the crawl so far have them. Default: TopicSpecWeighting.TF.
            knowledge (KnowledgeSpec | Unset): What is known of words before the first page is read. All of it is read once,
                when the crawl begins.
            back_links (list[str] | Unset):
            learn_from (list[str] | Unset):
            logs (list[str] | Unset):
            ranking (str | Unset):  Default: ''.
            database (str | Unset):  Default: ''.
     """

    keywords: list[str] | Unset = UNSET
    description: str | Unset = ''
    examples: list[str] | Unset = UNSET
    hold_out: float | Unset = 0.0
    languages: list[str] | Unset = UNSET
    taxonomy: str | Unset = ''
    good: list[str] | Unset = UNSET
    ontology: str | Unset = ''
    focus: list[str] | Unset = UNSET
    model: str | Unset = ''
    trust_model: bool | Unset = False
    predicate: str | Unset = ''
    function: str | Unset = ''
    on_fault: TopicSpecOnFault | Unset = TopicSpecOnFault.GO_ON
    like_start_pages: bool | Unset = False
    weighting: TopicSpecWeighting | Unset = TopicSpecWeighting.TF
    knowledge: KnowledgeSpec | Unset = UNSET
    back_links: list[str] | Unset = UNSET
    learn_from: list[str] | Unset = UNSET
    logs: list[str] | Unset = UNSET
    ranking: str | Unset = ''
    database: str | Unset = ''





    def to_dict(self) -> dict[str, Any]:
        from ..models.knowledge_spec import KnowledgeSpec # noqa: PLC0415
        keywords: list[str] | Unset = UNSET
        if not isinstance(self.keywords, Unset):
            keywords = self.keywords



        description = self.description

        examples: list[str] | Unset = UNSET
        if not isinstance(self.examples, Unset):
            examples = self.examples



        hold_out = self.hold_out

        languages: list[str] | Unset = UNSET
        if not isinstance(self.languages, Unset):
            languages = self.languages



        taxonomy = self.taxonomy

        good: list[str] | Unset = UNSET
        if not isinstance(self.good, Unset):
            good = self.good



        ontology = self.ontology

        focus: list[str] | Unset = UNSET
        if not isinstance(self.focus, Unset):
            focus = self.focus



        model = self.model

        trust_model = self.trust_model

        predicate = self.predicate

        function = self.function

        on_fault: str | Unset = UNSET
        if not isinstance(self.on_fault, Unset):
            on_fault = self.on_fault.value


        like_start_pages = self.like_start_pages

        weighting: str | Unset = UNSET
        if not isinstance(self.weighting, Unset):
            weighting = self.weighting.value


        knowledge: dict[str, Any] | Unset = UNSET
        if not isinstance(self.knowledge, Unset):
            knowledge = self.knowledge.to_dict()

        back_links: list[str] | Unset = UNSET
        if not isinstance(self.back_links, Unset):
            back_links = self.back_links



        learn_from: list[str] | Unset = UNSET
        if not isinstance(self.learn_from, Unset):
            learn_from = self.learn_from



        logs: list[str] | Unset = UNSET
        if not isinstance(self.logs, Unset):
            logs = self.logs



        ranking = self.ranking

        database = self.database


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if keywords is not UNSET:
            field_dict["keywords"] = keywords
        if description is not UNSET:
            field_dict["description"] = description
        if examples is not UNSET:
            field_dict["examples"] = examples
        if hold_out is not UNSET:
            field_dict["hold_out"] = hold_out
        if languages is not UNSET:
            field_dict["languages"] = languages
        if taxonomy is not UNSET:
            field_dict["taxonomy"] = taxonomy
        if good is not UNSET:
            field_dict["good"] = good
        if ontology is not UNSET:
            field_dict["ontology"] = ontology
        if focus is not UNSET:
            field_dict["focus"] = focus
        if model is not UNSET:
            field_dict["model"] = model
        if trust_model is not UNSET:
            field_dict["trust_model"] = trust_model
        if predicate is not UNSET:
            field_dict["predicate"] = predicate
        if function is not UNSET:
            field_dict["function"] = function
        if on_fault is not UNSET:
            field_dict["on_fault"] = on_fault
        if like_start_pages is not UNSET:
            field_dict["like_start_pages"] = like_start_pages
        if weighting is not UNSET:
            field_dict["weighting"] = weighting
        if knowledge is not UNSET:
            field_dict["knowledge"] = knowledge
        if back_links is not UNSET:
            field_dict["back_links"] = back_links
        if learn_from is not UNSET:
            field_dict["learn_from"] = learn_from
        if logs is not UNSET:
            field_dict["logs"] = logs
        if ranking is not UNSET:
            field_dict["ranking"] = ranking
        if database is not UNSET:
            field_dict["database"] = database

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.knowledge_spec import KnowledgeSpec # noqa: PLC0415
        d = dict(src_dict)
        keywords = cast(list[str], d.pop("keywords", UNSET))


        description = d.pop("description", UNSET)

        examples = cast(list[str], d.pop("examples", UNSET))


        hold_out = d.pop("hold_out", UNSET)

        languages = cast(list[str], d.pop("languages", UNSET))


        taxonomy = d.pop("taxonomy", UNSET)

        good = cast(list[str], d.pop("good", UNSET))


        ontology = d.pop("ontology", UNSET)

        focus = cast(list[str], d.pop("focus", UNSET))


        model = d.pop("model", UNSET)

        trust_model = d.pop("trust_model", UNSET)

        predicate = d.pop("predicate", UNSET)

        function = d.pop("function", UNSET)

        _on_fault = d.pop("on_fault", UNSET)
        on_fault: TopicSpecOnFault | Unset
        if isinstance(_on_fault,  Unset):
            on_fault = UNSET
        else:
            on_fault = TopicSpecOnFault(_on_fault)




        like_start_pages = d.pop("like_start_pages", UNSET)

        _weighting = d.pop("weighting", UNSET)
        weighting: TopicSpecWeighting | Unset
        if isinstance(_weighting,  Unset):
            weighting = UNSET
        else:
            weighting = TopicSpecWeighting(_weighting)




        _knowledge = d.pop("knowledge", UNSET)
        knowledge: KnowledgeSpec | Unset
        if isinstance(_knowledge,  Unset):
            knowledge = UNSET
        else:
            knowledge = KnowledgeSpec.from_dict(_knowledge)




        back_links = cast(list[str], d.pop("back_links", UNSET))


        learn_from = cast(list[str], d.pop("learn_from", UNSET))


        logs = cast(list[str], d.pop("logs", UNSET))


        ranking = d.pop("ranking", UNSET)

        database = d.pop("database", UNSET)

        topic_spec = cls(
            keywords=keywords,
            description=description,
            examples=examples,
            hold_out=hold_out,
            languages=languages,
            taxonomy=taxonomy,
            good=good,
            ontology=ontology,
            focus=focus,
            model=model,
            trust_model=trust_model,
            predicate=predicate,
            function=function,
            on_fault=on_fault,
            like_start_pages=like_start_pages,
            weighting=weighting,
            knowledge=knowledge,
            back_links=back_links,
            learn_from=learn_from,
            logs=logs,
            ranking=ranking,
            database=database,
        )

        return topic_spec

