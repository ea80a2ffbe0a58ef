"""Words that say little about a topic.

Three lists: the nine of the Dialog system (Pant, Srinivasan and Menczer, "Crawling the Web", 2004), the thirty-odd
of Küçük's thesis (2009), and `ENGLISH`, the function words of English in the spirit of the SMART list, for
production. Contractions stand in pieces, as the tokeniser cuts them ("don't" is "don" and "t").

A fourth one, `COMMON_ENGLISH`, tells English from other languages: frequent words that are not frequent elsewhere. So
it lacks "in" (German, Dutch, Italian), "on" (French, Turkish), "to" (Polish, Czech), "as" (Portuguese) and the like.
"""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


DIALOG = _words("an and by for from of the to with")

KUCUK = _words(
    """a about an are as at be by for from how in is of on or that the these this to was what when where who
    will with"""
)

ENGLISH = (
    DIALOG
    | KUCUK
    | _words(
        """
    able above according accordingly across actually after afterwards again against ain all allow allows almost
    alone along already also although always am among amongst another any anybody anyhow anyone anything anyway
    anyways anywhere apart appear appreciate appropriate aren around aside ask asking associated available away
    awfully became because become becomes becoming been before beforehand behind being believe below beside
    besides best better between beyond both brief but came can cannot cant cause causes certain certainly changes
    clearly co com come comes concerning consequently consider considering contain containing contains
    corresponding could couldn course currently definitely described despite did didn different do does doesn
    doing don done down downwards during each edu eg eight either else elsewhere enough entirely especially et etc
    even ever every everybody everyone everything everywhere ex exactly example except far few fifth first five
    followed following follows former formerly forth four further furthermore get gets getting given gives go goes
    going gone got gotten greetings had hadn happens hardly has hasn have haven having he hello help hence her
    here hereafter hereby herein hereupon hers herself hi him himself his hither hopefully howbeit however ie if
    ignored immediate inasmuch inc indeed indicate indicated indicates inner insofar instead into inward isn it
    its itself just keep keeps kept know known knows last lately later latter latterly least less lest let like
    liked likely little ll look looking looks ltd mainly many may maybe me mean meanwhile merely might more
    moreover most mostly much must mustn my myself name namely nd near nearly necessary need needs neither never
    nevertheless new next nine no nobody non none noone nor normally not nothing novel now nowhere obviously off
    often oh ok okay old once one ones only onto other others otherwise ought our ours ourselves out outside over
    overall own particular particularly per perhaps placed please plus possible presumably probably provides que
    quite qv rather rd re really reasonably regarding regardless regards relatively respectively right said same
    saw say saying says second secondly see seeing seem seemed seeming seems seen self selves sensible sent
    serious seriously seven several shall she should shouldn since six so some somebody somehow someone something
    sometime sometimes somewhat somewhere soon sorry specified specify specifying still sub such sup sure take
    taken tell tends th than thank thanks thanx thats their theirs them themselves then thence there thereafter
    thereby therefore therein theres thereupon they think third thorough thoroughly those though three through
    throughout thru thus together too took toward towards tried tries truly try trying twice two un under
    unfortunately unless unlikely until unto up upon us use used useful uses using usually value various ve very
    via viz vs want wants wasn way we welcome well went were weren whatever whence whenever whereafter whereas
    whereby wherein whereupon wherever whether which while whither whoever whole whom whose why willing wish
    within without won wonder would wouldn yes yet you your yours yourself yourselves zero
    """
    )
)

COMMON_ENGLISH = _words(
    """
    about after again against all also although always among another any are around available back be because been
    before being below best between both but by call called can cannot change could day days did different does done
    each end even every example first following for found from general get given good great group had has have he her
    here high his how however if information into is it its just kind known large last left less like line list local
    long made make many may more most much must name need never new next not number of often one only open or order
    other others our out over own part people place possible put read right same second see set several shall she
    should since small some state still such system take than that the their them then there therefore these they
    thing this those three through time together too two under until up us use used user using usually value very
    was water way we well were what when where whether which while who whole whose why will with within without word
    work world would write year years yes yet you your and
    """
)
