"""Games of tournaments: those that are played in one go are the games of the arena."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import hansa_fast as hf
from hansa_server.match import Match, MatchSpec, play_out
from hansa_server.store import pack, unpack
from hansa_server.tournament.block import Pairing, rotations
from hansa_server.tournament.chronicle import FINISHED, Block
from hansa_server.tournament.games import chain_hash, played_game, result_from_json, result_to_json, specs_of
from tests.tournament.running import SECRET, event, plain

SEEDS = (0, 1, 2**63 - 1)


def rows() -> list[hf.Rules]:
    """Every game, edition, board and number of players there is."""
    found = []
    for game in hf.games():
        for edition, board, players in product(game.editions, game.boards, range(2, 6)):
            try:
                found.append(hf.Rules(game.name, edition=edition, board=board, players=players, turn_limit=12))
            except hf.RulesError:
                continue
    return found


def in_the_arena(spec: MatchSpec) -> Match:
    """The match as the arena plays it."""
    match = Match(spec)
    match.start(0.0)
    while not match.is_over:
        match.go_on(0.0)
    return match


def check(spec: MatchSpec) -> None:
    actions, outcome = play_out(spec)
    match = in_the_arena(spec)
    assert list(actions) == [played.action for played in match.actions]
    assert outcome == match.outcome
    stored = pack([played.action for played in match.actions])
    assert played_game(spec, pack(actions), outcome) == played_game(spec, stored, match.outcome)


@pytest.mark.parametrize("rules", rows(), ids=str)
def test_in_one_go_or_in_the_arena(rules: hf.Rules) -> None:
    for seed, kinds in product(SEEDS, (("random", "greedy", "planner"), ("random", "wavering"))):
        names = tuple(f"builtin:{kinds[seat % len(kinds)]}" for seat in range(rules.players))
        check(MatchSpec("match", rules, seed, names))


def test_to_the_end_of_the_game() -> None:
    for game, players in product(("teutonica", "hansa"), (2, 4)):
        names = tuple(["builtin:greedy", "builtin:random"] * 2)[:players]
        check(MatchSpec("match", hf.Rules(game=game, players=players, turn_limit=400), 5, names))


def test_rows_are_all_there() -> None:
    assert {(rules.game, rules.board) for rules in rows()} == {
        (game.name, board) for game in hf.games() for board in game.boards
    }


def test_games_follow_from_the_secret_and_their_place() -> None:
    wanted = plain(event("open", {"a": "builtin:random", "b": "", "c": "cmd:true"}, players=3))
    entrants = {bot.name: bot for bot in wanted.bots}
    pairing = Pairing(0, 1, rotations(("a", "b", "c")))
    specs = specs_of(wanted, entrants, SECRET, 4, pairing, 0)
    assert specs == specs_of(wanted, entrants, SECRET, 4, pairing, 0)
    assert len({spec.seed for spec in specs}) == 1, "one deal through all seatings"
    assert [spec.players for spec in specs] == list(pairing.seatings)
    assert specs[0].sessions == ("builtin:random", "b", "c")
    others = [
        specs_of(wanted, entrants, SECRET, 5, pairing, 0),
        specs_of(wanted, entrants, SECRET, 4, pairing, 1),
        specs_of(wanted, entrants, "a" * 63 + "b", 4, pairing, 0),
    ]
    assert len({found[0].seed for found in (specs, *others)}) == 4
    ids = [spec.match_id for found in (specs, *others) for spec in found]
    ids += [spec.match_id for spec in specs_of(replace(wanted, name="other"), entrants, SECRET, 4, pairing, 0)]
    assert len(set(ids)) == len(ids)


def test_results_and_hashes() -> None:
    wanted = plain(event())
    entrants = {bot.name: bot for bot in wanted.bots}
    pairing = Pairing(0, 1, rotations(("random", "greedy")))
    games = []
    for spec in specs_of(wanted, entrants, SECRET, 0, pairing, 0):
        actions, outcome = play_out(spec)
        games.append(played_game(spec, pack(actions), outcome))
        assert list(unpack(pack(actions))) == list(actions)
        assert result_from_json(result_to_json(games[-1]), spec.players, spec.match_id) == games[-1]
        for changed in (replace(spec, seed=spec.seed + 1), replace(spec, players=spec.players[::-1])):
            assert played_game(changed, pack(actions), outcome).record != games[-1].record
        assert played_game(spec, pack(actions[:-1]), outcome).record != games[-1].record
        assert played_game(spec, pack(actions), replace(outcome, ranks=(2, 2))).record != games[-1].record
    block = Block(0, pairing, FINISHED, 0, tuple(games))
    hashes = {
        chain_hash(before, changed)
        for before in ("", "a")
        for changed in (
            block,
            replace(block, number=1),
            replace(block, attempt=1),
            replace(block, state="dropped"),
            replace(block, games=tuple(games[::-1])),
            replace(block, pairing=replace(pairing, round=2)),
        )
    }
    assert len(hashes) == 12
