"""What holds in every position of every game, whatever is played.

Hypothesis draws the rules, the seed, how far the game has come and the next choices. The examples are the same in every
run; `HANSA_EXAMPLES=1000` draws more of them.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hansa_fast as hf
from hansa_fast import _boards
from tests.conservation import Ledger, check_whole, inventory
from tests.playing import TURNS, expected_phases, sample, walk
from tests.reference import setup_of
from tests.rows import RULES, row_name, rules_of

EXAMPLES = int(os.environ.get("HANSA_EXAMPLES", "60"))
IDS = 1024
SEATS = st.integers(0, 4)
SEEDS = st.integers(0, 2**64 - 1)

steady = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def positions(draw: st.DrawFn) -> hf.State:
    """A position of any row and phase: from a game of its own or a kept one of a rare phase, then some free choices."""
    rules = draw(st.sampled_from(RULES))
    if draw(st.booleans()):
        state = draw(st.sampled_from(sample(rules))).copy()
    else:
        *_, state = walk(rules, draw(SEEDS), draw(st.integers(0, 900)))
    for choice in draw(st.lists(st.integers(0, 2**32), max_size=12)):
        if state.is_over:
            break
        legal = state.legal_actions()
        state.apply(legal[choice % len(legal)])
    return state


def after(state: hf.State, action: int) -> hf.State:
    """The position after an action; the given one stays."""
    other = state.copy()
    other.apply(action)
    return other


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_walks_reach_every_phase(rules: hf.Rules) -> None:
    assert {state.phase for state in sample(rules)} == expected_phases(rules)


# -- Conservation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_everything_is_conserved_in_whole_games(rules: hf.Rules) -> None:
    whole = inventory(rules, rules.new(seed=100).to_dict())
    for state in walk(rules, seed=100):
        d = state.to_dict()
        check_whole(rules, d)
        assert inventory(rules, d) == whole


@steady
@given(positions())
def test_everything_is_conserved_by_every_action(state: hf.State) -> None:
    for action in state.legal_actions():
        check_whole(state.rules, after(state, action).to_dict())


@pytest.mark.parametrize("rules", rules_of("hansa"), ids=row_name)
def test_talers_are_accounted_for(rules: hf.Rules) -> None:
    for seed in range(5):
        state, ledger = rules.new(seed=seed), Ledger(rules.players)
        step = 0
        while not state.is_over and step < 3000:
            before, action = state.to_dict(), state.choose(step, "greedy" if step % 3 else "uniform")
            text = state.describe(action)
            state.apply(action)
            ledger.note(before, text, state.to_dict())
            ledger.check(state.to_dict())
            step += 1
        assert state.turn > 4 * rules.players


# -- Legal actions ----------------------------------------------------------------------------------------------------


@steady
@given(positions())
def test_mask_list_and_predicate_agree(state: hf.State) -> None:
    legal = state.legal_actions()
    assert legal == sorted(set(legal))
    assert all(type(action) is int and 0 <= action < IDS for action in legal)
    assert state.legal_mask() == sum(1 << action for action in legal)
    assert [action for action in range(IDS) if state.is_legal(action)] == legal
    assert bool(legal) != state.is_over
    assert hf.perft(state, 1) == len(legal)
    assert hf.perft(state, 2) == sum(len(after(state, action).legal_actions()) for action in legal)


@steady
@given(positions())
def test_every_legal_action_leads_to_a_position_that_can_be_saved(state: hf.State) -> None:
    for action in state.legal_actions():
        then = after(state, action)
        text = state.describe(action)
        assert then != state, text
        assert hf.State.from_dict(state.rules, then.to_dict()) == then, text
        assert hf.State.from_bytes(state.rules, then.to_bytes()) == then, text


@steady
@given(positions(), st.sampled_from([-1, 1024, 2**31, 2**64, True, None, 3.0, "end", b"\x01"]))
def test_every_other_id_is_refused_without_change(state: hf.State, junk: Any) -> None:
    before, legal = state.to_bytes(), set(state.legal_actions())
    for action in range(IDS):
        if action not in legal:
            with pytest.raises(hf.IllegalActionError, match=rf"action {action}\b"):
                state.apply(action)
            with pytest.raises(hf.IllegalActionError):
                state.describe(action)
    with pytest.raises(hf.IllegalActionError):
        state.apply(junk)
    assert not state.is_legal(junk)
    assert state.to_bytes() == before
    assert set(state.legal_actions()) == legal


@steady
@given(positions())
def test_texts_are_unique_and_parse_back(state: hf.State) -> None:
    legal = state.legal_actions()
    texts = [state.describe(action) for action in legal]
    assert len(set(texts)) == len(texts)
    for action, text in zip(legal, texts, strict=True):
        assert state.parse(text) == action
        assert state.parse(f"  {text.upper().replace(' ', '   ')} ") == action


# -- Who decides what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_turn_phase_and_player_are_coherent(rules: hf.Rules) -> None:
    turn = 0
    for state in walk(rules, seed=200):
        d = state.to_dict()
        assert (d["turn"], d["phase"]) == (state.turn, state.phase)
        assert state.is_over == (state.player == -1) == (state.phase == "over") == (d["player"] is None)
        assert turn <= state.turn <= turn + 1
        turn = state.turn
        if state.is_over:
            assert d["end"] == state.result()["reasons"] != []
            break
        assert d["end"] == []
        assert d["player"] == state.player
        assert d["current"] == (state.player if state.phase == "place" else turn % rules.players)
        if state.phase in ("answer", "answer-to", "favour-income", "pawn", "lose"):
            assert state.player != d["current"]
        else:
            assert state.player == d["current"]
        with pytest.raises(ValueError, match="not over"):
            state.result()
    else:
        pytest.fail(f"no end after {TURNS} turns")


# -- Round trips ------------------------------------------------------------------------------------------------------


@steady
@given(positions(), SEATS)
def test_round_trips(state: hf.State, seat: int) -> None:
    for one in (state, state.view(seat % state.rules.players)):
        d = one.to_dict()
        twins = [
            hf.State.from_dict(one.rules, d),
            hf.State.from_dict(one.rules, json.loads(json.dumps(d, allow_nan=False))),
            hf.State.from_bytes(one.rules, one.to_bytes()),
            hf.State.from_bytes(one.rules, memoryview(bytearray(one.to_bytes()))),
            pickle.loads(pickle.dumps(one)),
            one.copy(),
            copy.copy(one),
            copy.deepcopy(one),
        ]
        for twin in twins:
            assert twin == one
            assert twin is not one
            assert hash(twin) == hash(one)
            assert twin.to_dict() == d
            assert twin.to_bytes() == one.to_bytes()
            assert twin.rules == one.rules
            assert twin.legal_actions() == one.legal_actions()


@steady
@given(positions())
def test_a_copy_is_independent(state: hf.State) -> None:
    assume(not state.is_over)
    before, other = state.to_bytes(), state.copy()
    other.apply(other.legal_actions()[0])
    assert state.to_bytes() == before
    assert other != state


@steady
@given(positions(), positions())
def test_equality_is_that_of_rules_and_bytes(one: hf.State, two: hf.State) -> None:
    assert (one == two) == (one.rules == two.rules and one.to_dict() == two.to_dict())
    assert (one != two) is not (one == two)
    assert one != "a state"


# -- Hidden things ----------------------------------------------------------------------------------------------------


def hide(state: hf.State, seat: int | None) -> dict[str, Any]:
    """What a seat (or everybody) may see of a position (P1, F8, H1), told from the dict alone."""
    out = state.to_dict()
    if state.is_over:
        return out
    if state.rules.game == "hansa":
        out["piles"] = [["hidden"] * len(pile) for pile in out["piles"]]
        return out
    out["pile"] = ["hidden"] * len(out["pile"])
    drawn = sum(out["plate"].values())
    out["plate"] = {"hidden": drawn} if drawn else {}
    for k, player in enumerate(out["players"]):
        if k != seat and player["mission"] is not None:
            player["mission"] = "hidden"
    return out


def reveals(state: hf.State, action: int) -> bool:
    """Whether the action turns up what is hidden."""
    if state.rules.game == "hansa":
        return state.describe(action) == "replenish"
    return state.phase == "main" and state.describe(action) == "end" and bool(state.to_dict()["plate"])


@steady
@given(positions())
def test_a_view_hides_all_and_only_what_is_hidden(state: hf.State) -> None:
    before = state.to_bytes()
    for seat in (None, *range(state.rules.players)):
        view = state.view(seat)
        assert view.to_dict() == hide(state, seat)
        assert view.is_view == ('"hidden"' in json.dumps(view.to_dict()))
        assert view.view(seat) == view
        assert (view.player, view.phase, view.turn) == (state.player, state.phase, state.turn)
        assert view.legal_actions() == state.legal_actions()
        assert [view.describe(a) for a in view.legal_actions()] == [state.describe(a) for a in state.legal_actions()]
    assert not state.is_view
    assert state.to_bytes() == before


@steady
@given(positions(), SEATS)
def test_a_view_plays_on_like_the_position_it_shows(state: hf.State, seat: int) -> None:
    seat %= state.rules.players
    view = state.view(seat)
    for action in state.legal_actions():
        then = after(state, action)
        if reveals(state, action):
            before = view.to_bytes()
            with pytest.raises(hf.HiddenError, match="redeal"):
                view.apply(action)
            assert view.to_bytes() == before
            continue
        seen = after(view, action)
        if then.is_over:
            assert seen.is_over
            assert seen.to_dict()["end"] == then.to_dict()["end"]
        else:
            assert seen == then.view(seat)


@steady
@given(positions(), SEATS | st.none(), st.lists(SEEDS, min_size=2, max_size=4, unique=True))
def test_a_redeal_fits_what_the_player_has_seen_and_tells_nothing_more(
    state: hf.State, seat: int | None, seeds: list[int]
) -> None:
    if seat is not None:
        seat %= state.rules.players
    view, whole = state.view(seat), inventory(state.rules, state.to_dict())
    for seed in seeds:
        dealt = state.redeal(seat, seed)
        assert not dealt.is_view
        assert dealt.view(seat) == view
        assert inventory(state.rules, dealt.to_dict()) == whole
        assert hf.State.from_dict(state.rules, dealt.to_dict()) == dealt
        assert dealt.legal_actions() == state.legal_actions()
        assert view.redeal(seat, seed) == dealt
        # Whatever lies hidden, the same seed deals the same: nothing of it shows through.
        assert state.redeal(seat, seeds[0]).redeal(seat, seed) == dealt


@pytest.mark.parametrize("rules", rules_of("hansa"), ids=row_name)
def test_redeals_shuffle_the_piles(rules: hf.Rules) -> None:
    state = next(s for s in walk(rules, 3) if s.turn == 4)
    deals = [state.redeal(1, seed).to_dict() for seed in range(60)]
    assert len({json.dumps(d["piles"]) for d in deals}) == 60
    assert len({next(pile for pile in d["piles"] if pile)[0] for d in deals}) > 8
    assert len({json.dumps({**d, "piles": None}) for d in deals}) == 1


@pytest.mark.parametrize("rules", [rules for rules in rules_of("teutonica") if rules.players in (2, 5)], ids=row_name)
def test_redeals_differ_and_reach_every_hidden_thing(rules: hf.Rules) -> None:
    state = next(
        s for seed in range(40) for s in walk(rules, seed) if s.to_dict()["plate"] and len(s.to_dict()["pile"]) > 3
    )
    deals = [state.redeal(1, seed).to_dict() for seed in range(60)]
    assert len({json.dumps(d["pile"]) for d in deals}) > 30
    assert len({json.dumps(d["plate"]) for d in deals}) > 2
    if rules.missions:
        own = state.to_dict()["players"][1]["mission"]
        assert all(d["players"][1]["mission"] == own for d in deals)
        for seat in {*range(rules.players)} - {1}:
            cards = {tuple(d["players"][seat]["mission"]) for d in deals}
            assert len(cards) == 8  # all but the player's own


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
@pytest.mark.parametrize("seat", [-1, 4, True, 1.0, "0"])
def test_views_are_for_seats(seat: Any, game: str) -> None:
    state = hf.Rules(game=game, players=4).new(seed=1)
    with pytest.raises(ValueError, match="must be a seat from 0 to 3"):
        state.view(seat)
    with pytest.raises(ValueError, match="must be a seat from 0 to 3"):
        state.redeal(seat, 1)


@steady
@given(positions(), SEATS)
def test_views_cannot_be_searched(state: hf.State, seat: int) -> None:
    view = state.view(seat % state.rules.players)
    assume(view.is_view)
    for search in (lambda: hf.perft(view, 2), lambda: hf.playout(view, 1), lambda: hf.playouts(view, 2, 1)):
        with pytest.raises(hf.HiddenError, match="redeal"):
            search()


# -- Seeds ------------------------------------------------------------------------------------------------------------

WORD = 2**64 - 1


class SplitMix:
    """The generator of docs/formats.md, written down a second time."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32

    def shuffle(self, items: list[Any]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def test_the_generator_is_splitmix64() -> None:
    rng = SplitMix(1234567)  # the published test vector
    assert [rng.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def drawn_setup(rules: hf.Rules, seed: int) -> dict[str, Any]:
    """The set-up of a seed: gold markers, pile, tiles and cards are shuffled in this order, whatever is played."""
    rng = SplitMix(seed)
    kinds, golds = _boards.marker_kinds(rules.edition), _boards.gold_counts(rules.edition)
    gold = [kind for kind, n in zip(kinds, golds, strict=True) for _ in range(n)]
    counts = [all_of - n for all_of, n in zip(_boards.marker_counts(rules.edition), golds, strict=True)]
    pile = [kind for kind, n in zip(kinds, counts, strict=True) for _ in range(n)]
    tiles = list(_boards.favour_tiles())
    cards = [list(card) for card in _boards.mission_cards()]
    for items in (gold, pile, tiles, cards):
        rng.shuffle(items)
    routes = _boards.load_board(rules.board).data["routes"]
    taverns = [f"{route['a']}-{route['b']}" for route in routes if route["tavern"]]
    return {
        "markers": dict(zip(taverns, gold, strict=True)),
        "pile": pile,
        "favours": [t for t in _boards.favour_tiles() if t in tiles[: rules.players]] if rules.favours else [],
        "missions": [cards[seat] if rules.missions else None for seat in range(rules.players)],
    }


def drawn_hansa_setup(rules: hf.Rules, seed: int) -> dict[str, Any]:
    """The set-up of a seed in Hansa: the colours are shuffled, then the markers of those in play."""
    rng = SplitMix(seed)
    goods = hf.board(rules.board)["goods"]
    colours = list(goods["colours"])
    rng.shuffle(colours)
    played = [colour for colour in goods["colours"] if colour in colours[: rules.players + 2]]
    markers = [f"{colour} {n}" for colour in played for n, count in goods["barrels"].items() for _ in range(count)]
    rng.shuffle(markers)
    piles, rest = [], markers[14:]
    for size in {2: (8, 8, 8, 7, 7), 3: (11, 10, 10, 10, 10), 4: (13, 13, 13, 13, 12)}[rules.players]:
        piles.append(rest[:size])
        rest = rest[size:]
    return {"colours": played, "goods": markers[:14], "piles": piles}


@steady
@given(st.sampled_from(rules_of("teutonica")), SEEDS)
def test_a_seed_draws_the_documented_setup(rules: hf.Rules, seed: int) -> None:
    d = rules.new(seed=seed).to_dict()
    got = {key: d[key] for key in ("markers", "pile", "favours")}
    assert got | {"missions": [player["mission"] for player in d["players"]]} == drawn_setup(rules, seed)


@steady
@given(st.sampled_from(rules_of("hansa")), SEEDS)
def test_a_seed_draws_the_documented_setup_of_hansa(rules: hf.Rules, seed: int) -> None:
    assert setup_of(rules.new(seed=seed)) == drawn_hansa_setup(rules, seed)


@steady
@given(positions(), SEEDS)
def test_uniform_choice_is_the_documented_one(state: hf.State, seed: int) -> None:
    assume(not state.is_over)
    legal = state.legal_actions()
    assert state.choose(seed, "uniform") == legal[SplitMix(seed).below(len(legal))]
    assert state.choose(seed, "greedy") in legal
    assert state.choose(seed, "greedy") == state.choose(seed, "greedy")


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_same_seed_and_actions_give_the_same_bytes(rules: hf.Rules) -> None:
    one, two = rules.new(seed=5), rules.new(seed=5)
    for step in range(300):
        assert one.to_bytes() == two.to_bytes()
        if one.is_over:
            break
        action = one.choose(step, "greedy" if step % 3 else "uniform")
        one.apply(action)
        two.apply(action)
    assert rules.new(seed=6) != rules.new(seed=5)


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "7", None])
def test_seeds_are_whole_numbers(seed: Any, game: str) -> None:
    state = hf.Rules(game=game, players=4).new(seed=2**64 - 1)
    for use in (lambda: state.rules.new(seed=seed), lambda: hf.playout(state, seed), lambda: state.redeal(0, seed)):
        with pytest.raises(ValueError, match="seed: must be a whole number from 0"):
            use()


# -- Playouts ---------------------------------------------------------------------------------------------------------

LIMIT = 40


def play_out(state: hf.State, seed: int, limit: int) -> tuple[hf.State, int]:
    """A uniform playout with the API and the generator of this file. The limit is at least the running turn."""
    d = state.to_dict()
    d["turn_limit"] = min(max(limit, state.turn + 1), d["turn_limit"] or 2**31)
    end, rng, decisions = hf.State.from_dict(state.rules, d), SplitMix(seed), 0
    while not end.is_over:
        legal = end.legal_actions()
        end.apply(legal[rng.below(len(legal))])
        decisions += 1
    return end, decisions


@settings(steady, max_examples=max(20, EXAMPLES // 4))
@given(positions(), SEEDS)
def test_playouts_are_games_and_do_not_depend_on_threads(state: hf.State, seed: int) -> None:
    assume(not state.is_over)
    before = state.to_bytes()
    limit = state.turn + LIMIT
    end, decisions = hf.playout(state, seed, turn_limit=limit)
    assert (end, decisions) == play_out(state, seed, limit)
    n = 7
    together = hf.playouts(state, n, seed, turn_limit=limit)
    for threads in (2, 3, 16):
        assert hf.playouts(state, n, seed, threads=threads, turn_limit=limit) == together
    results = []
    total = 0
    for i in range(n):
        own = SplitMix((seed + i * 0xD1342543DE82EF95) & WORD).next()
        end, decisions = hf.playout(state, own, turn_limit=limit)
        results.append(end.result())
        total += decisions
    seats = range(state.rules.players)
    assert together["playouts"] == n
    assert together["decisions"] == total
    assert together["mean_score"] == [sum(r["scores"][p]["total"] for r in results) / n for p in seats]
    assert together["mean_rank"] == [sum(r["ranks"][p] for r in results) / n for p in seats]
    share = [sum(1 / len(r["winners"]) for r in results if p in r["winners"]) / n for p in seats]
    assert together["win_share"] == pytest.approx(share)
    assert state.to_bytes() == before


@pytest.mark.parametrize("policy", ["uniform", "greedy"])
@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_turn_limit_is_honoured_and_reported(rules: hf.Rules, policy: str) -> None:
    for limit in (1, 2, 17):
        end, _ = hf.playout(rules.new(seed=3), 1, policy=policy, turn_limit=limit)
        assert end.turn == limit
        assert end.result()["reasons"] == ["turn limit"]
    limited = hf.Rules(**{**rules.to_dict(), "turn_limit": 6})
    state = limited.new(seed=3)
    assert state.to_dict()["turn_limit"] == 6
    assert limited.new(seed=3) != rules.new(seed=3)
    end, _ = hf.playout(state, 1, policy=policy)
    assert (end.turn, end.result()["reasons"]) == (6, ["turn limit"])
    longer, _ = hf.playout(state, 1, policy=policy, turn_limit=50)  # the game's own limit stands
    assert longer == end
    passed, _ = hf.playout(next(s for s in walk(rules, 1) if s.turn == 9), 1, policy=policy, turn_limit=4)
    assert (passed.turn, passed.result()["reasons"]) == (10, ["turn limit"])


@steady
@given(st.sampled_from(RULES), SEEDS)
def test_results_agree_with_themselves(rules: hf.Rules, seed: int) -> None:
    end, _ = hf.playout(rules.new(seed=seed), seed, policy="greedy", turn_limit=TURNS)
    result, scores = end.result(), end.scores()
    assert result["scores"] == scores
    assert result["reasons"] == end.to_dict()["end"]
    for score, player in zip(scores, end.to_dict()["players"], strict=True):
        assert score["total"] == sum(value for key, value in score.items() if key != "total")
        if rules.game == "teutonica":
            assert score["track"] == player["points"]
        else:
            assert score["unsold"] == sum(player["unsold"].values())
    totals = [score["total"] for score in scores]
    assert result["winners"] == [p for p, rank in enumerate(result["ranks"]) if rank == 1]
    for p, total in enumerate(totals):
        assert sum(other > total for other in totals) < result["ranks"][p] <= sum(other >= total for other in totals)
    assert end.legal_actions() == []
    assert end.apply_forced() == []
    with pytest.raises(hf.IllegalActionError, match="over"):
        end.choose(1)
    assert end.view(0) == end
    assert end.redeal(0, 5) == end


@steady
@given(positions())
def test_forced_actions_are_those_without_a_choice(state: hf.State) -> None:
    slow, played = state.copy(), []
    while len(slow.legal_actions()) == 1:
        played += slow.legal_actions()
        slow.apply(played[-1])
    assert state.apply_forced() == played
    assert state == slow
