"""What the politeness of several crawlers promises, whatever becomes of letters and nodes."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.guards import Mail, Street
from tests.jumping_clock import JumpingClock
from tests.trials import trials

from lycosa.model.nodes import Members, Node
from lycosa.model.records import Millis
from lycosa.sharing.letters import Rules, Terms
from lycosa.sharing.shelf import Shelf
from lycosa.sharing.wardens import Guard
from lycosa.web.spacing import Spacing

PAGES = [("h0", "a0"), ("h1", "a0"), ("h2", "a1")]
KEYS = sorted({key for page in PAGES for key in page})
UNTIL = 90_000
SKEW = 0.02

mails = st.builds(
    Mail,
    shortest=st.just(1),
    longest=st.sampled_from([1, 50, 2000, 8000]),
    lost=st.sampled_from([0.0, 0.1, 0.4]),
    doubled=st.sampled_from([0.0, 0.3]),
)
terms = st.builds(
    Terms,
    delay=st.sampled_from([0, 200, 1000]).map(Millis),
    span=st.sampled_from([3_000, 10_000]).map(Millis),
    idle=st.sampled_from([2_000, 60_000]).map(Millis),
)
accidents = st.lists(
    st.tuples(
        st.integers(0, UNTIL),
        st.sampled_from(["restart", "restart", "lose", "join", "leave"]),
        st.integers(0, 9),
        st.sampled_from([1, 500, 5_000, 16_000]),
    ),
    max_size=5,
)


class Life:
    """A street on which every node asks without end, and accidents happen."""

    def __init__(self, nodes: int, terms: Terms, mail: Mail, seed: int) -> None:
        names = [f"n{number}" for number in range(nodes)]
        self.street = Street(names, terms=terms, mail=mail, seed=seed, skew=SKEW)
        self.joined = 0
        for name in names:
            self.begin(Node(name))

    def begin(self, name: Node) -> None:
        running = self.street.nodes[name]

        def again() -> None:
            if self.street.nodes.get(name) is running:
                draw = self.street.random
                pause = draw.choice([1, 10, 3_000])
                self.street.visit(
                    name,
                    draw.choice(PAGES),
                    draw.choice([5, 100, 3_000, 20_000]),
                    lambda: self.street.at(self.street.now + pause, again),
                )

        again()
        again()

    def happen(self, what: str, which: int, after: int) -> None:
        street = self.street
        members = street.members.names
        alive = [name for name in members if name in street.nodes]
        match what:
            case "restart" | "lose" if alive:
                name = alive[which % len(alive)]
                street.kill(name)
                back = self.restart if what == "restart" else self.lose
                street.at(street.now + after, lambda: back(name))
            case "join" if street.settled:
                self.joined += 1
                name = Node(f"j{self.joined}")
                street.change([*members, name], late=after)
                street.start(name)
                self.begin(name)
            case "leave" if street.settled and len(members) > 1:
                name = members[which % len(members)]
                street.change([other for other in members if other != name], late=after)

    def restart(self, name: Node) -> None:
        if name in self.street.members.names and name not in self.street.nodes:
            self.street.start(name)
            self.begin(name)

    def lose(self, name: Node) -> None:
        members = self.street.members.names
        if name in members and name not in self.street.nodes and len(members) > 1:
            self.street.change([other for other in members if other != name], [name], late=3_000)


@settings(max_examples=trials(80), deadline=None)
@given(st.sampled_from([1, 2, 3, 5]), terms, mails, st.integers(0, 1 << 30), accidents)
@example(
    3,
    Terms(span=Millis(3_000)),
    Mail(longest=8_000, lost=0.1, doubled=0.3),
    1244,
    [(75_045, "join", 0, 16_000)],
)
def test_one_at_a_time_and_spaced(
    nodes: int, terms: Terms, mail: Mail, seed: int, accidents: list[tuple[int, str, int, int]]
) -> None:
    life = Life(nodes, terms, mail, seed)
    for when, what, which, after in accidents:
        life.street.at(when, lambda what=what, which=which, after=after: life.happen(what, which, after))
    life.street.run(UNTIL)
    least = terms.delay * (1 - SKEW) - 1
    for key in KEYS:
        assert all(gap >= least for gap in life.street.gaps(key)), key


@settings(max_examples=trials(30), deadline=None)
@given(
    st.integers(2, 5), st.integers(0, 1 << 30), st.sampled_from(["holder", "warden", "both"]), st.booleans()
)
def test_not_forgotten(nodes: int, seed: int, killed: str, lost: bool) -> None:
    """A Crawl-delay holds for those who did not hear it from the host."""
    street = Street(
        [f"n{number}" for number in range(nodes)], terms=Terms(), mail=Mail(longest=20), seed=seed
    )
    warden, deputy = street.ranked("h")[:2]
    holder = street.random.choice(list(street.nodes))
    street.visit(holder, ("h",), 100)
    street.run(2_000)
    told = street.nodes[holder]
    told.guard.slow_down("h", 40_000, told.clock(street.now))
    street.flush(holder)
    street.run(2_500)
    dead = {"holder": {holder}, "warden": {warden}, "both": {holder, warden}}[killed]
    for name in dead:
        street.kill(name)
    alive = list(street.nodes)
    if lost and alive:
        street.change(alive, sorted(dead))
    else:
        for name in sorted(dead):
            street.start(name)
    if not ({holder, warden, deputy} - dead):
        return  # nobody lives who was told
    last = max(each.ended for each in street.log)
    for name in list(street.nodes):
        street.visit(name, ("h",), 100)
    street.run(120_000)
    begun = sorted(each.began for each in street.log[1:])
    assert begun, "the host is asked again some day"
    assert begun[0] >= last + 40_000


@settings(max_examples=trials(40), deadline=None)
@given(st.integers(2, 6), st.integers(0, 1 << 30), st.integers(5, 400))
def test_first_come_and_a_turn_each(nodes: int, seed: int, length: int) -> None:
    """Whoever asks on has a turn before anybody who came later has a second one, but for letters under way."""
    street = Street([f"n{number}" for number in range(nodes)], terms=Terms(), mail=Mail(longest=5), seed=seed)
    for name in street.members.names:
        street.keep_visiting(name, ("h",), length)
    street.run(nodes * 20_000)
    turns = [each.node for each in sorted(street.log, key=lambda each: each.began)]
    for place in range(len(turns) - 2 * nodes):
        assert set(turns[place : place + 2 * nodes]) == set(street.members.names)


@settings(max_examples=trials(40), deadline=None)
@given(st.integers(1, 6), st.integers(0, 1 << 30), st.integers(5, 400))
def test_nobody_stands_before_a_free_key(nodes: int, seed: int, length: int) -> None:
    """While several ask on, a key rests little longer than it must: till the next in line is told and comes again."""
    street = Street([f"n{number}" for number in range(nodes)], terms=Terms(), mail=Mail(longest=5), seed=seed)
    for name in street.members.names:
        street.keep_visiting(name, ("h",), length)
    street.run(60_000)
    gaps = street.gaps("h")
    assert sum(gaps) / len(gaps) <= 1_000 + 2 * street.terms.busy


@settings(max_examples=trials(60), deadline=None)
@example(200, [("turn", "h0", 1), ("rest", "h1", 0), ("slow", "h1", 201), ("turn", "h1", 0)])
@given(
    st.sampled_from([200, 1000]),
    st.lists(
        st.tuples(
            st.sampled_from(["turn", "turn", "slow", "rest"]),
            st.sampled_from(["h0", "h1"]),
            st.integers(0, 3_000),
        ),
        max_size=30,
    ),
)
def test_one_node_is_a_crawler_alone(delay: int, plan: list[tuple[str, str, int]]) -> None:
    """The naive twin: `Spacing`, which knows of nobody else."""
    clock = JumpingClock()
    twin = Spacing(clock, Millis(delay))
    guard = Guard(
        Node("n0"), "a", Members(epoch=1, names=(Node("n0"),)), Terms(delay=Millis(delay)), 0, first=True
    )
    for what, key, length in plan:
        assert guard.want(key, clock.time)
        assert guard.wait(key, clock.time) == twin.wait(key)
        match what:
            case "turn" if not twin.wait(key):
                with twin.turn(key):
                    guard.begin([key], clock.time)
                    assert guard.wait(key, clock.time) == twin.wait(key)
                    clock.time += length
                guard.end([key], clock.time)
            case "slow":
                guard.slow_down(key, length, clock.time)
                twin.slow_down(key, Millis(length))
            case "rest":
                guard.rest(key, clock.time + length, 0, clock.time)
                twin.rest(key, Millis(length))
            case _:
                clock.time += length
        guard.tick(clock.time)
        assert not guard.letters(clock.time)


@settings(max_examples=trials(60), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"), st.binary(max_size=400), st.integers(1, 1000), st.integers(0, 300)
        ),
        max_size=40,
    )
)
def test_fresh_and_bounded_shelf(files: list[tuple[str, bytes, int, int]]) -> None:
    room, now = 1500, 0
    shelf = Shelf(room)
    until: dict[str, int] = {}
    for url, body, good_for, passed in files:
        now += passed
        shelf.put(url, Rules(body, good_for), now)
        until[url] = max(until.get(url, 0), now + good_for)
        kept = {each: found for each in "abcd" if (found := shelf.get(each, now)) is not None}
        assert sum(200 + len(found.body or b"") for found in kept.values()) <= room
        assert all(0 < found.good_for <= until[each] - now for each, found in kept.items())
        assert url in kept, "what came last stays"


def test_a_late_letter_closes_a_gate_for_longer_never_for_less() -> None:
    guard = Guard(Node("n0"), "a", Members(epoch=1, names=(Node("n0"),)), Terms(), 0, first=True)
    assert guard.want("h", 0)
    guard.rest("h", 9_000, 1, 0)
    guard.rest("h", 4_000, 1, 0)
    assert guard.wait("h", 0) == 9_000
