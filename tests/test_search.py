"""The search: it plays legally everywhere, finds what is to be found, uses nothing hidden, and repeats itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

import hansa_fast as hf
from hansa_fast._tree import NODE_BYTES, Tree, distinct_actions
from tests.rows import RULES, row_name

QUICK = "search:iterations=12,horizon=4"
EXAMPLES = [
    hf.Rules(players=4, missions=True, favours=True),
    hf.Rules(players=2),
    hf.Rules(board="east", players=5),
    hf.Rules(game="hansa", players=3),
]


def positions(rules: hf.Rules, seed: int = 1, decisions: int = 200) -> Iterator[hf.State]:
    """The positions of a game by the greedy policy."""
    state = rules.new(seed)
    for number in range(decisions):
        if state.is_over:
            return
        yield state.copy()
        state.apply(state.choose(1000 * seed + number, "greedy"))


def midgame(rules: hf.Rules, decisions: int = 30) -> hf.State:
    """A position with a choice, some way into a game."""
    return next(state for state in list(positions(rules))[decisions:] if len(distinct_actions(state)) > 3)


# -- Whole games ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_plays_legally_to_the_end(rules: hf.Rules) -> None:
    """Every seat by a search of its own that is told what was played, and sees only what it may see."""
    state = hf.Rules(**{**rules.to_dict(), "turn_limit": 60}).new(seed=3)
    seats = [hf.Search(QUICK, seed=seat) for seat in range(rules.players)]
    while not state.is_over:
        action = seats[state.player].choose(state.view(state.player))
        state.apply(action)  # raises if it is not legal
        for search in seats:
            search.advance([action])
    assert state.turn >= 10


def test_wins_against_the_policy_it_plays_out_with() -> None:
    """Hansa against three greedy seats: a search that thinks for 300 iterations has never lost one of these."""
    wins = 0
    for seat in range(4):
        state = hf.Rules(game="hansa", players=4).new(seed=seat)
        search = hf.Search("search:iterations=300,playout=greedy", seed=seat)
        number = 0
        while not state.is_over:
            mine = state.player == seat
            action = search.choose(state) if mine else state.choose(number, "greedy")
            state.apply(action)
            search.advance([action])
            number += 1
        wins += state.result()["ranks"][seat] == 1
    assert wins >= 3


# -- What it finds -------------------------------------------------------------------------------------------------


Worth = list[tuple[int, int]]  # by seat: the rank as a negative number, and the margin


def solve(state: hf.State) -> Worth:
    """What the end of a game comes to if every seat takes what is best for it, by trying everything."""
    if state.is_over:
        points = [score["total"] for score in state.scores()]
        ranks = state.result()["ranks"]
        return [(-ranks[seat], value - max(points[:seat] + points[seat + 1 :])) for seat, value in enumerate(points)]
    worths = [solve(after(state, action)) for action in distinct_actions(state)]
    return max(worths, key=lambda worth: worth[state.player])


def after(state: hf.State, action: int) -> hf.State:
    """The position after an action."""
    out = state.copy()
    out.apply(action)
    return out


def last_turns(rules: hf.Rules, most: int) -> Iterator[tuple[hf.State, dict[int, tuple[int, int]]]]:
    """Positions near the end of a game in which few actions lead to the best end, and what each is worth."""
    found = 0
    for seed in range(200):
        for state in positions(rules, seed, 150):
            if found == most:
                return
            if state.turn < 10 or len(distinct_actions(state)) < 4:
                continue
            last = hf.State.from_dict(rules, {**state.to_dict(), "turn_limit": state.turn + 1})
            if hf.perft(last, 2) > 1000 or hf.perft(last, 4) > 1000 or hf.perft(last, 8):
                continue  # too much to try, or too deep
            worth = {action: solve(after(last, action))[last.player] for action in distinct_actions(last)}
            best = max(worth.values())
            if abs(best[1]) <= 12 and list(worth.values()).count(best) <= len(worth) // 2:
                found += 1
                yield last, worth


@pytest.mark.parametrize("rules", [hf.Rules(players=3), hf.Rules(game="hansa", players=3)], ids=row_name)
def test_finds_the_only_good_actions(rules: hf.Rules) -> None:
    tried = 0
    for state, worth in last_turns(rules, most=4):
        best = max(worth.values())
        found = hf.Search("search:iterations=1500", seed=1).analyse(state)
        rank, margin = worth[found.best.action]
        assert rank == best[0] and margin >= best[1] - 2, state.describe(found.best.action)
        assert round(found.best.place[state.player]) == -best[0]
        tried += 1
    assert tried == 4


def test_the_only_action_is_played_without_thinking() -> None:
    state = next(state for state in positions(hf.Rules(players=4)) if len(state.legal_actions()) == 1)
    search = hf.Search("search:iterations=1000000000")
    assert search.choose(state) == state.legal_actions()[0]


# -- Posts that are alike ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", EXAMPLES, ids=row_name)
def test_what_is_left_out_is_like_something_kept(rules: hf.Rules) -> None:
    dropped = 0
    for state in list(positions(rules, seed=2, decisions=120))[::6]:
        kept = distinct_actions(state)
        others = set(state.legal_actions()) - set(kept)
        assert set(kept) <= set(state.legal_actions())
        assert kept or state.is_over
        looks = {look(state, action) for action in kept}
        for action in others:
            assert look(state, action) in looks, state.describe(action)
            dropped += 1
    assert dropped > 100 or rules.game == "hansa"


def look(state: hf.State, action: int) -> tuple[object, ...]:
    """What an action leads to, without the number of the post."""
    child = after(state, action)
    words = state.describe(action).rpartition(" ")[0] if action < 256 else state.describe(action)
    return words, child.player, child.phase, str(child.scores()), hf.perft(child, 2)


# -- Hidden things -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", EXAMPLES, ids=row_name)
def test_nothing_hidden_is_used(rules: hf.Rules) -> None:
    state = midgame(rules)
    answers = set()
    for deal in (state, state.view(state.player), *(state.redeal(state.player, seed) for seed in range(3))):
        search = hf.Search("search:iterations=300", seed=9)
        answers.add(search.analyse(deal).candidates)
    assert len(answers) == 1


def test_the_knowledge_of_one_seat_is_not_used_for_another() -> None:
    """A mission is known to its owner only, so a tree grown for one seat is of no use to the next."""
    rules = hf.Rules(players=3, missions=True)
    states = list(positions(rules))
    at = next(
        k for k in range(20, 100) if states[k].player != states[k + 1].player and len(states[k].legal_actions()) > 1
    )
    search = hf.Search("search:iterations=200", seed=1)
    search.analyse(states[at])
    for action in states[at].legal_actions():
        if after(states[at], action) == states[at + 1]:
            search.advance([action])
    assert search.analyse(states[at + 1]).reused == 0


# -- Reproducible, and over threads --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", EXAMPLES, ids=row_name)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_seed_gives_the_same_answer(rules: hf.Rules, threads: int) -> None:
    state = midgame(rules)
    settings = f"search:iterations=400,threads={threads}"
    first, again, other = (hf.Search(settings, seed=seed).analyse(state) for seed in (1, 1, 2))
    assert first.candidates == again.candidates
    assert first.candidates != other.candidates
    assert first.iterations == 400


def test_threads_are_put_together() -> None:
    state = midgame(EXAMPLES[0])
    search = hf.Search("search:iterations=301,threads=2", seed=4)
    found = search.analyse(state)
    first, second = search._trees
    assert (first.visits, second.visits) == (150, 151)
    assert sum(candidate.visits for candidate in found.candidates) == found.iterations == 301
    assert found.nodes == first.size + second.size
    for candidate in found.candidates:
        rows = [row for tree in search._trees for row in tree.children() if row[0] == candidate.action]
        assert candidate.visits == sum(row[1] for row in rows)
        for seat in range(4):
            assert candidate.place[seat] * candidate.visits == pytest.approx(sum(row[4][seat] for row in rows))
            assert candidate.score[seat] * candidate.visits == pytest.approx(sum(row[5][seat] for row in rows))


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    hf.Search("search:iterations=100,threads=4").choose(midgame(EXAMPLES[0]))
    assert threading.active_count() == before


@pytest.mark.parametrize("rules", EXAMPLES, ids=row_name)
def test_expectations_make_sense(rules: hf.Rules) -> None:
    found = hf.Search("search:iterations=200", seed=4).analyse(midgame(rules))
    for candidate in found.candidates:
        assert len(candidate.place) == len(candidate.score) == rules.players
        assert 0 <= candidate.value <= 1
        assert all(1 <= place <= rules.players for place in candidate.place)
        assert sum(candidate.place) <= rules.players * (rules.players + 1) / 2 + 1e-3  # less if places are shared
        assert candidate.line[0] == candidate.action
        assert candidate.texts(midgame(rules))[0] == midgame(rules).describe(candidate.action)


def test_answers_improve() -> None:
    search = hf.Search("search:iterations=200", seed=1)
    answers = list(search.improve(midgame(EXAMPLES[0]), every=0))
    assert len(answers) > 5
    assert [answer.is_last for answer in answers] == [False] * (len(answers) - 1) + [True]
    assert all(early.iterations < late.iterations for early, late in pairwise(answers))
    assert answers[-1].candidates == hf.Search("search:iterations=200", seed=1).analyse(midgame(EXAMPLES[0])).candidates


def test_time_is_kept() -> None:
    state = midgame(EXAMPLES[0])
    found = hf.Search("search:time=0.1,threads=2").analyse(state)
    assert found.seconds >= 0.1
    assert found.iterations == sum(candidate.visits for candidate in found.candidates)
    first = hf.Search("search:time=1000,iterations=20").analyse(state)
    assert first.iterations == 20


def test_progress_is_told() -> None:
    told: list[hf.Analysis] = []
    found = hf.Search("search:iterations=50").analyse(midgame(EXAMPLES[0]), told.append)
    assert told[-1] == found


# -- The tree ------------------------------------------------------------------------------------------------------


def grown(state: hf.State, iterations: int, nodes: int = 10_000) -> Tree:
    """A tree of its own."""
    tree = hf.Search(hf.SearchSettings(nodes=nodes))._trees[0]
    tree.plant(state, 5, False)
    tree.run(iterations)
    return tree


@pytest.mark.parametrize("rules", EXAMPLES, ids=row_name)
def test_every_visit_is_counted(rules: hf.Rules) -> None:
    tree = grown(midgame(rules), 500)
    assert tree.visits == 500 == sum(row[1] for row in tree.children())
    while len(tree.children()) > 0:
        action, visits, *_ = max(tree.children(), key=lambda row: row[1])
        line = tree.line(action, 30)
        inner = {row[0]: row for row in tree.children()}
        assert tree.advance(action)
        assert tree.visits == visits == inner[action][1]
        assert tree.visits - sum(row[1] for row in tree.children()) in (0, 1)
        if len(line) > 1:
            assert tree.line(line[1], 29) == line[1:]
    assert tree.size == 1


def test_what_was_found_is_used_again() -> None:
    state = midgame(EXAMPLES[0], 31)
    search = hf.Search("search:iterations=500", seed=2)
    found = search.analyse(state)
    assert found.reused == 0
    assert search.analyse(state).reused == 500  # the same position again
    kept = search.advance([found.best.action])
    state.apply(found.best.action)
    assert kept > 100
    following = search.analyse(state)
    if state.player == found.player:
        assert following.reused == kept
    assert following.iterations == 500
    assert hf.Search("search:iterations=500", seed=2).analyse(state).reused == 0


def test_its_own_answer_need_not_be_told() -> None:
    """Within a turn the tree is used again by itself, as if the search had been told; the answers are the same."""
    used = 0
    for rules in EXAMPLES:
        state = midgame(rules, 20)
        told, untold = hf.Search("search:iterations=100", seed=3), hf.Search("search:iterations=100", seed=3)
        for _ in range(12):
            if state.is_over:
                break
            seat = state.player
            action = told.choose(state)
            again = untold.choose(state)
            assert untold._root is None or untold._root.player == seat
            state.apply(action)
            kept = told.advance([action])
            if state.is_over or state.player != seat or len(state.legal_actions()) == 1:
                break
            assert action == again
            assert untold.analyse(state).reused == kept
            told = hf.Search("search:iterations=100", seed=3)
            untold = hf.Search("search:iterations=100", seed=3)
            used += kept
    assert used > 100


def test_a_seed_of_its_own_for_a_decision() -> None:
    state = midgame(EXAMPLES[0])
    first, second = hf.Search("search:iterations=50", seed=1), hf.Search("search:iterations=50", seed=2)
    for seed in range(3):
        for search in (first, second):
            search.advance([1023])  # forget
        assert first.choose(state, seed) == second.choose(state, seed)
        assert first._trees[0].children() == second._trees[0].children()


def test_another_position_begins_anew() -> None:
    search = hf.Search("search:iterations=50")
    for rules in EXAMPLES:
        for decisions in (20, 40):
            assert search.analyse(midgame(rules, decisions)).reused == 0
    assert search.advance([1023]) == 0  # nobody has thought of that
    assert search.analyse(midgame(EXAMPLES[0])).reused == 0
    assert hf.Search().advance([1, 2]) == 0


def test_a_full_pool_goes_on_without_growing() -> None:
    state = midgame(EXAMPLES[0])
    tree = grown(state, 1000, nodes=100)
    assert (tree.size, tree.capacity, tree.visits) == (100, 100, 1000)
    assert hf.Search("search:iterations=500,nodes=100").choose(state) in state.legal_actions()


def test_a_node_is_small() -> None:
    assert NODE_BYTES <= 128


def test_trees_made_behind_the_back_do_no_harm() -> None:
    tree = Tree.__new__(Tree)
    assert (tree.visits, tree.children(), tree.line(1, 5), tree.advance(1)) == (0, [], [], False)
    with pytest.raises(ValueError, match="planted"):
        tree.run(1)


# -- Settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("search", "search"),
        (" search ", "search"),
        ("search:iterations=2000", "search:iterations=2000"),
        ("search:time=0.5", "search:time=0.5"),
        ("search:time=1", "search:time=1"),
        ("search: threads=2, time=0.50", "search:time=0.5,threads=2"),
        (
            "search:playout=uniform,nodes=1000,horizon=9,explore=2",
            "search:playout=uniform,horizon=9,explore=2,nodes=1000",
        ),
        ("search:threads=1", "search"),
    ],
)
def test_settings_there_and_back(text: str, name: str) -> None:
    settings = hf.SearchSettings.parse(text)
    assert str(settings) == name
    assert hf.SearchSettings.parse(name) == settings
    assert hf.Search(text).settings == settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not begin with 'search'"),
        ("serach:time=1", "does not begin with 'search'"),
        ("search:", "'' is none of iterations=, time=,"),
        ("search:time", "'time' is none of iterations=, time=, threads=, .*; did you mean time="),
        ("search:tiem=1", "did you mean time="),
        ("search:time=1,time=2", "time is given twice"),
        ("search:time=soon", "time: must be a number, not 'soon'"),
        ("search:time=0", "time: must be a number from 0.001 to 86400, not 0"),
        ("search:time=nan", "time: must be a number from"),
        ("search:time=inf", "time: must be a number from"),
        ("search:iterations=1.5", "iterations: must be a whole number, not '1.5'"),
        ("search:iterations=0", "iterations: must be a whole number from 1 to 1000000000, not 0"),
        ("search:threads=0", "threads: must be a whole number from 1 to 256"),
        ("search:playout=clever", "playout: 'clever' is none of uniform, greedy"),
        ("search:nodes=1", "nodes: must be a whole number from 100"),
    ],
)
def test_senseless_settings(text: str, problem: str) -> None:
    with pytest.raises(hf.SearchError, match=problem):
        hf.Search(text)


def test_other_mistakes() -> None:
    with pytest.raises(hf.SearchError, match="must be a text"):
        hf.Search(5)  # type: ignore[arg-type]
    with pytest.raises(hf.SearchError, match="seed: must be"):
        hf.Search(seed=-1)
    with pytest.raises(hf.SearchError, match="threads: must be a whole number"):
        hf.SearchSettings(threads=True)
    over = hf.playout(hf.Rules(game="hansa", players=2).new(1), 1, "greedy")[0]
    with pytest.raises(hf.IllegalActionError, match="the game is over"):
        hf.Search().choose(over)
    with pytest.raises(hf.IllegalActionError, match="the game is over"):
        hf.Search().analyse(over)
