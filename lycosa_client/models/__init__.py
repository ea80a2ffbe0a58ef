""" Contains all the data models used in inputs/outputs """

from .archive_spec import ArchiveSpec
from .begun import Begun
from .block import Block
from .capture import Capture
from .changed import Changed
from .changes import Changes
from .cluster_spec import ClusterSpec
from .crawl_spec import CrawlSpec
from .crawl_spec_profile import CrawlSpecProfile
from .dead_spec import DeadSpec
from .estimate import Estimate
from .estimate_by import EstimateBy
from .explanation import Explanation
from .explanation_due_parts import ExplanationDueParts
from .explanation_relevance_parts import ExplanationRelevanceParts
from .explanation_score_parts import ExplanationScoreParts
from .export_pages_to import ExportPagesTo
from .failed_visit import FailedVisit
from .failures import Failures
from .failures_by_reason import FailuresByReason
from .failures_meaning import FailuresMeaning
from .fetch_spec import FetchSpec
from .find import Find
from .frontier_spec import FrontierSpec
from .frontier_spec_order import FrontierSpecOrder
from .frontier_spec_tie import FrontierSpecTie
from .go_on import GoOn
from .happened import Happened
from .happening import Happening
from .heard import Heard
from .held import Held
from .host_count import HostCount
from .in_order import InOrder
from .info import Info
from .judge_spec import JudgeSpec
from .knowledge_spec import KnowledgeSpec
from .link_of_page import LinkOfPage
from .mark import Mark
from .marking import Marking
from .member import Member
from .new_crawl import NewCrawl
from .new_crawl_profile import NewCrawlProfile
from .outlook import Outlook
from .outlook_facts import OutlookFacts
from .outlook_resting import OutlookResting
from .page_row import PageRow
from .pages import Pages
from .parameter import Parameter
from .piece import Piece
from .piece_kind import PieceKind
from .politeness_spec import PolitenessSpec
from .politeness_spec_nofollow import PolitenessSpecNofollow
from .politeness_spec_robots import PolitenessSpecRobots
from .problem import Problem
from .record_ref import RecordRef
from .refreshing import Refreshing
from .refreshing_found import RefreshingFound
from .revisit_spec import RevisitSpec
from .scope_spec import ScopeSpec
from .status import Status
from .status_facts import StatusFacts
from .status_failures_by_reason import StatusFailuresByReason
from .status_judge import StatusJudge
from .status_marks import StatusMarks
from .status_statuses import StatusStatuses
from .stop_spec import StopSpec
from .stop_spec_recall_by import StopSpecRecallBy
from .strategy_info import StrategyInfo
from .time_map import TimeMap
from .topic_spec import TopicSpec
from .topic_spec_on_fault import TopicSpecOnFault
from .topic_spec_weighting import TopicSpecWeighting
from .trap_spec import TrapSpec
from .version import Version
from .waiting_link import WaitingLink
from .waiting_link_parts import WaitingLinkParts
from .wanted import Wanted
from .wanted_wish import WantedWish
from .waypoint import Waypoint

__all__ = (
    "ArchiveSpec",
    "Begun",
    "Block",
    "Capture",
    "Changed",
    "Changes",
    "ClusterSpec",
    "CrawlSpec",
    "CrawlSpecProfile",
    "DeadSpec",
    "Estimate",
    "EstimateBy",
    "Explanation",
    "ExplanationDueParts",
    "ExplanationRelevanceParts",
    "ExplanationScoreParts",
    "ExportPagesTo",
    "FailedVisit",
    "Failures",
    "FailuresByReason",
    "FailuresMeaning",
    "FetchSpec",
    "Find",
    "FrontierSpec",
    "FrontierSpecOrder",
    "FrontierSpecTie",
    "GoOn",
    "Happened",
    "Happening",
    "Heard",
    "Held",
    "HostCount",
    "Info",
    "InOrder",
    "JudgeSpec",
    "KnowledgeSpec",
    "LinkOfPage",
    "Mark",
    "Marking",
    "Member",
    "NewCrawl",
    "NewCrawlProfile",
    "Outlook",
    "OutlookFacts",
    "OutlookResting",
    "PageRow",
    "Pages",
    "Parameter",
    "Piece",
    "PieceKind",
    "PolitenessSpec",
    "PolitenessSpecNofollow",
    "PolitenessSpecRobots",
    "Problem",
    "RecordRef",
    "Refreshing",
    "RefreshingFound",
    "RevisitSpec",
    "ScopeSpec",
    "Status",
    "StatusFacts",
    "StatusFailuresByReason",
    "StatusJudge",
    "StatusMarks",
    "StatusStatuses",
    "StopSpec",
    "StopSpecRecallBy",
    "StrategyInfo",
    "TimeMap",
    "TopicSpec",
    "TopicSpecOnFault",
    "TopicSpecWeighting",
    "TrapSpec",
    "Version",
    "WaitingLink",
    "WaitingLinkParts",
    "Wanted",
    "WantedWish",
    "Waypoint",
)
