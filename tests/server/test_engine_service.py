"""The rules as a service: every call, its bounds, and its errors with details."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import engine_pb2, game_pb2, play_pb2
from hansa_server import engine_service, wire
from tests.server.bots import Table, refused, run, table

GAMES = [hf.Rules(players=4, missions=True, favours=True), hf.Rules(players=2), hf.Rules(game="hansa", players=3)]
Check = Callable[[Table], Awaitable[None]]


def with_engine(tmp_path: Path, check: Check) -> None:
    """Run a check on a server."""

    async def main() -> None:
        async with table(tmp_path, max_calls_per_second=10_000) as arena:
            await check(arena)

    run(main())


def position(state: hf.State) -> engine_pb2.Position:
    """A position as a message."""
    return engine_pb2.Position(rules=wire.rules_to_proto(state.rules), state=state.to_bytes())


def midgame(rules: hf.Rules, decisions: int = 30) -> hf.State:
    """A position some way into a game."""
    state = rules.new(seed=3)
    for number in range(decisions):
        state.apply(state.choose(number, "greedy"))
    return state


async def violation(call: Awaitable[Any], code: grpc.StatusCode) -> tuple[str, str]:
    """The field or limit that a refusal names, and what it says about it."""
    error = await refused(call)
    assert error.code() == code, error
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None
    assert status.message == error.details()
    for detail in status.details:
        bad, quota = error_details_pb2.BadRequest(), error_details_pb2.QuotaFailure()
        if detail.Unpack(bad):
            return bad.field_violations[0].field, bad.field_violations[0].description
        if detail.Unpack(quota):
            return quota.violations[0].subject, quota.violations[0].description
    raise AssertionError(f"nothing is named: {status}")


INVALID, EXHAUSTED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED


# -- What can be played --------------------------------------------------------------------------------------------


def test_games_and_boards(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        games = (await arena.engine.ListGames(engine_pb2.ListGamesRequest())).games
        assert [(game.game, tuple(game.editions), tuple(game.boards), tuple(game.phases)) for game in games] == [
            (game.name, game.editions, game.boards, game.phases) for game in hf.games()
        ]
        assert all(game.action_ids == 1024 for game in games)
        boards = (await arena.engine.ListBoards(engine_pb2.ListBoardsRequest())).boards
        assert [board.board for board in boards] == [name for game in hf.games() for name in game.boards]
        for game in hf.games():
            some = (await arena.engine.ListBoards(engine_pb2.ListBoardsRequest(game=game.name))).boards
            assert [board.board for board in some] == list(game.boards)
            assert {board.game for board in some} == {game.name}
        for board in boards:
            whole = await arena.engine.GetBoard(engine_pb2.GetBoardRequest(board=board.board))
            assert whole.board == board
            data = json.loads(whole.board_json)
            assert data == hf.board(board.board)
            assert list(board.players) == list(data["players"])
            assert board.title
        await violation(arena.engine.ListBoards(engine_pb2.ListBoardsRequest(game="chess")), INVALID)
        for name in ("", "est", "../secret", "x" * 30_000, "\0"):
            await violation(arena.engine.GetBoard(engine_pb2.GetBoardRequest(board=name)), INVALID)

    with_engine(tmp_path, check)


# -- Positions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_new_games(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        message = wire.rules_to_proto(rules)
        for seed in (0, 1, 2**64 - 1):
            found = (await arena.engine.NewGame(engine_pb2.NewGameRequest(rules=message, seed=seed))).position
            assert found == position(rules.new(seed))

    with_engine(tmp_path, check)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(game="chess")), "game"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(board="moon")), "board"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(edition="1999")), "edition"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(players=9)), "players"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(players=-(2**31))), "players"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(turn_limit=-1)), "turn_limit"),
        (engine_pb2.NewGameRequest(rules=game_pb2.Rules(game="hansa", missions=True)), None),
        (engine_pb2.NewGameRequest(setup_json="{"), "setup_json"),
        (engine_pb2.NewGameRequest(setup_json="[]"), "setup_json"),
        (engine_pb2.NewGameRequest(setup_json="[" * 100_000), "setup_json"),
        (engine_pb2.NewGameRequest(setup_json='{"a": ' + "1" * 5000 + "}"), "setup_json"),
        (engine_pb2.NewGameRequest(setup_json='{"nonsense": 1}'), None),
        (engine_pb2.NewGameRequest(setup_json='{"pile": [null]}'), None),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else "request",
)
def test_senseless_new_games(request_: engine_pb2.NewGameRequest, field: str | None, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        named, problem = await violation(arena.engine.NewGame(request_), INVALID)
        assert problem
        assert field is None or named == field

    with_engine(tmp_path, check)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_all_about_a_position(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        for state in (rules.new(1), midgame(rules), hf.playout(rules.new(2), 3, "greedy", turn_limit=200)[0]):
            request = engine_pb2.GetPositionRequest(position=position(state), texts=True)
            found = await arena.engine.GetPosition(request)
            assert (found.player, found.phase, found.turn) == (state.player, state.phase, state.turn)
            assert list(found.legal_actions) == state.legal_actions()
            assert list(found.legal_texts) == [state.describe(action) for action in state.legal_actions()]
            ranks = state.result()["ranks"] if state.is_over else ()
            assert list(found.scores) == wire.scores_to_proto(state.scores(), ranks)
            assert found.WhichOneof("view_form") is None
            for viewer in (None, *range(rules.players)):
                seen = state if viewer is None else state.view(viewer)
                for form in (play_pb2.VIEW_FORMAT_MESSAGE, play_pb2.VIEW_FORMAT_JSON):
                    found = await arena.engine.GetPosition(
                        engine_pb2.GetPositionRequest(position=position(state), view_format=form, viewer=viewer)
                    )
                    if form == play_pb2.VIEW_FORMAT_MESSAGE:
                        assert found.view == wire.view_to_proto(seen)
                    else:
                        assert json.loads(found.view_json) == seen.to_dict()
            for bad, field in (
                ({"viewer": -1}, "viewer"),
                ({"viewer": 9}, "viewer"),
                ({"view_format": 9}, "view_format"),
            ):
                request = engine_pb2.GetPositionRequest(position=position(state), **bad)  # type: ignore[arg-type]
                assert (await violation(arena.engine.GetPosition(request), INVALID))[0] == field

    with_engine(tmp_path, check)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_broken_positions_are_refused_by_every_call(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        good = position(midgame(rules))
        view = midgame(rules).view(0)
        other = hf.Rules(players=3) if rules.players != 3 else hf.Rules(players=5)
        broken = [
            engine_pb2.Position(),
            engine_pb2.Position(rules=good.rules),
            engine_pb2.Position(rules=good.rules, state=good.state[:-1]),
            engine_pb2.Position(rules=good.rules, state=good.state + b"\0"),
            engine_pb2.Position(rules=good.rules, state=bytes(len(good.state))),
            engine_pb2.Position(rules=good.rules, state=b"\xff" * len(good.state)),
            engine_pb2.Position(rules=wire.rules_to_proto(other), state=good.state),
        ]
        if view.is_view:
            broken.append(engine_pb2.Position(rules=good.rules, state=view.to_bytes()))
        engine = arena.engine
        for bad in broken:
            for call in (
                engine.GetPosition(engine_pb2.GetPositionRequest(position=bad)),
                engine.ApplyActions(engine_pb2.ApplyActionsRequest(position=bad)),
                engine.DescribeActions(engine_pb2.DescribeActionsRequest(position=bad)),
                engine.ParseActions(engine_pb2.ParseActionsRequest(position=bad)),
                engine.RunPlayouts(engine_pb2.RunPlayoutsRequest(position=bad, playouts=1)),
                engine.CountPerft(engine_pb2.CountPerftRequest(position=bad, depth=1)),
            ):
                await violation(call, INVALID)

    with_engine(tmp_path, check)


# -- Actions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_thousand_lines_in_one_call(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        start = midgame(rules)
        lines, ends = [], []
        for seed in range(1000):
            state = start.copy()
            line = []
            for step in range(seed % 10):
                if state.is_over:
                    break
                line.append(state.choose(seed * 100 + step, "uniform"))
                state.apply(line[-1])
            lines.append(engine_pb2.Line(actions=line))
            ends.append(state)
        request = engine_pb2.ApplyActionsRequest(position=position(start), lines=lines)
        found = (await arena.engine.ApplyActions(request)).ends
        assert len(found) == 1000
        for end, state, played in zip(found, ends, lines, strict=True):
            assert end.position == position(state)
            assert (end.played, end.problem) == (len(played.actions), "")
            assert end.player == state.player
            assert list(end.legal_actions) == state.legal_actions()

    with_engine(tmp_path, check)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_line_stops_at_an_illegal_action(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        start = midgame(rules)
        legal = start.choose(1, "uniform")
        after = start.copy()
        after.apply(legal)
        for bad in (-1, 1023, 1024, 2**31 - 1, -(2**31)):
            lines = [engine_pb2.Line(actions=[legal, bad, legal]), engine_pb2.Line()]
            request = engine_pb2.ApplyActionsRequest(position=position(start), lines=lines)
            first, second = (await arena.engine.ApplyActions(request)).ends
            assert first.position == position(after)
            assert first.played == 1
            assert str(bad) in first.problem
            assert second.position == position(start)
            assert (second.played, second.problem) == (0, "")

    with_engine(tmp_path, check)


def test_actions_past_the_end_of_a_game_are_illegal(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        over = hf.playout(hf.Rules(game="hansa", players=2).new(1), 1, "greedy")[0]
        assert over.is_over
        request = engine_pb2.ApplyActionsRequest(position=position(over), lines=[engine_pb2.Line(actions=[0])])
        (end,) = (await arena.engine.ApplyActions(request)).ends
        assert (end.played, end.player, list(end.legal_actions)) == (0, -1, [])
        assert end.problem
        described = await arena.engine.DescribeActions(engine_pb2.DescribeActionsRequest(position=position(over)))
        assert not described.actions
        counted = await arena.engine.CountPerft(engine_pb2.CountPerftRequest(position=position(over), depth=3))
        assert counted.count == hf.perft(over, 3)

    with_engine(tmp_path, check)


def test_too_many_actions(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        start = position(hf.Rules(players=2).new(1))
        most = engine_service.MOST_ACTIONS
        for lines in ([engine_pb2.Line(actions=[1] * (most + 1))], [engine_pb2.Line()] * (most + 1)):
            call: Awaitable[Any] = arena.engine.ApplyActions(
                engine_pb2.ApplyActionsRequest(position=start, lines=lines)
            )
            subject, problem = await violation(call, EXHAUSTED)
            assert subject == "lines" and str(most) in problem
        call = arena.engine.DescribeActions(engine_pb2.DescribeActionsRequest(position=start, actions=[1] * 1025))
        assert (await violation(call, EXHAUSTED))[0] == "actions"
        call = arena.engine.ParseActions(engine_pb2.ParseActionsRequest(position=start, texts=["x"] * 1001))
        assert (await violation(call, EXHAUSTED))[0] == "texts"

    with_engine(tmp_path, check)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_texts_there_and_back(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        state = midgame(rules)
        here = position(state)
        described = (await arena.engine.DescribeActions(engine_pb2.DescribeActionsRequest(position=here))).actions
        assert [(item.action, item.text) for item in described] == [
            (action, state.describe(action)) for action in state.legal_actions()
        ]
        some = [item.action for item in described][::-2]
        request = engine_pb2.DescribeActionsRequest(position=here, actions=some)
        assert [item.action for item in (await arena.engine.DescribeActions(request)).actions] == some
        texts = [item.text for item in described]
        parsed = (await arena.engine.ParseActions(engine_pb2.ParseActionsRequest(position=here, texts=texts))).actions
        assert list(parsed) == list(described)
        for bad in ("", "nonsense", "x" * 100_000, "\0"):
            call: Awaitable[Any] = arena.engine.ParseActions(
                engine_pb2.ParseActionsRequest(position=here, texts=[texts[0], bad])
            )
            await violation(call, INVALID)
        call = arena.engine.DescribeActions(engine_pb2.DescribeActionsRequest(position=here, actions=[-1]))
        await violation(call, INVALID)

    with_engine(tmp_path, check)


# -- Numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("policy", ["", "uniform", "greedy"])
def test_playouts(rules: hf.Rules, policy: str, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        state = midgame(rules)
        request = engine_pb2.RunPlayoutsRequest(
            position=position(state), playouts=50, seed=7, policy=policy, turn_limit=40
        )
        found = await arena.engine.RunPlayouts(request)
        expected = hf.playouts(state, 50, 7, policy=policy or "uniform", turn_limit=state.turn + 40)
        assert found.decisions == expected["decisions"]
        assert list(found.mean_score) == pytest.approx(list(expected["mean_score"]))
        assert list(found.mean_rank) == pytest.approx(list(expected["mean_rank"]))
        assert list(found.win_share) == pytest.approx(list(expected["win_share"]))
        assert sum(found.win_share) == pytest.approx(1)
        assert await arena.engine.RunPlayouts(request) == found

    with_engine(tmp_path, check)


def test_bounds_of_playouts(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        here = position(hf.Rules(players=2).new(1))
        cases: tuple[tuple[dict[str, Any], grpc.StatusCode], ...] = (
            ({"playouts": 0}, INVALID),
            ({"playouts": -1}, INVALID),
            ({"playouts": engine_service.MOST_PLAYOUTS + 1}, EXHAUSTED),
            ({"playouts": 1, "turn_limit": 301}, EXHAUSTED),
            ({"playouts": 1, "turn_limit": -1}, INVALID),
            ({"playouts": 1, "policy": "clever"}, INVALID),
        )
        for values, code in cases:
            request = engine_pb2.RunPlayoutsRequest(position=here, **values)
            subject, _ = await violation(arena.engine.RunPlayouts(request), code)
            assert subject in values

    with_engine(tmp_path, check)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_perft(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        state = midgame(rules)
        here = position(state)
        for depth in range(3):
            request = engine_pb2.CountPerftRequest(position=here, depth=depth)
            assert (await arena.engine.CountPerft(request)).count == hf.perft(state, depth)

    with_engine(tmp_path, check)


def test_bounds_of_perft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_service, "MOST_VISITS", 1000)

    async def check(arena: Table) -> None:
        here = position(hf.Rules(players=4).new(1))
        for depth in (-1, 101, 2**31 - 1):
            call = arena.engine.CountPerft(engine_pb2.CountPerftRequest(position=here, depth=depth))
            assert (await violation(call, INVALID))[0] == "depth"
        call = arena.engine.CountPerft(engine_pb2.CountPerftRequest(position=here, depth=100))
        subject, problem = await violation(call, EXHAUSTED)
        assert subject == "depth" and "1000" in problem

    with_engine(tmp_path, check)


# -- Analysis ------------------------------------------------------------------------------------------------------


def seconds(value: float) -> duration_pb2.Duration:
    """A duration as a message."""
    return wire.duration_to_proto(value)


async def answers(arena: Table, request: engine_pb2.AnalysePositionRequest) -> list[engine_pb2.AnalysePositionResponse]:
    """All answers of an analysis."""
    return [answer async for answer in arena.engine.AnalysePosition(request)]


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_analysis_is_that_of_the_core(rules: hf.Rules, tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        state = midgame(rules)
        search = hf.Search(hf.SearchSettings(iterations=300, nodes=engine_service.NODES), seed=5)
        expected = search.analyse(state)
        for seen in (state, state.view(state.player)):
            request = engine_pb2.AnalysePositionRequest(position=position(seen), iterations=300, seed=5, texts=True)
            found = await answers(arena, request)
            last = found[-1]
            assert [answer.last for answer in found] == [False] * (len(found) - 1) + [True]
            assert (last.player, last.iterations, last.nodes) == (state.player, 300, expected.nodes)
            assert len(last.actions) == len(expected.candidates)
            for action, candidate in zip(last.actions, expected.candidates, strict=True):
                assert (action.action, action.visits) == (candidate.action, candidate.visits)
                assert action.text == state.describe(candidate.action)
                assert list(action.place) == pytest.approx(candidate.place)
                assert list(action.score) == pytest.approx(candidate.score)
                assert [step.text for step in action.line] == candidate.texts(state)
        few = engine_pb2.AnalysePositionRequest(position=position(state), iterations=300, seed=5, top=1)
        (best,) = (await answers(arena, few))[-1].actions
        assert (best.action, best.text) == (expected.best.action, "")

    with_engine(tmp_path, check)


def test_answers_improve_and_end_in_time(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        here = position(midgame(GAMES[0]))
        request = engine_pb2.AnalysePositionRequest(position=here, iterations=5000, every=seconds(0.05))
        found = await answers(arena, request)
        assert len(found) >= 2
        assert all(early.iterations < late.iterations for early, late in pairwise(found))
        assert found[-1].last and found[-1].iterations == 5000
        request = engine_pb2.AnalysePositionRequest(position=here, time=seconds(0.2))
        found = await answers(arena, request)
        assert found[-1].last and wire.duration_from_proto(found[-1].elapsed) >= 0.2

    with_engine(tmp_path, check)


def test_an_analysis_ends_when_the_caller_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    improve = hf.Search.improve

    def counting(self: hf.Search, state: hf.State, every: float) -> Iterator[hf.Analysis]:
        for answer in improve(self, state, every):
            asked.append(answer)
            yield answer

    monkeypatch.setattr(hf.Search, "improve", counting)

    async def check(arena: Table) -> None:
        here = position(midgame(GAMES[0]))
        request = engine_pb2.AnalysePositionRequest(position=here, time=seconds(60), every=seconds(0.05))
        call = arena.engine.AnalysePosition(request)
        async for _ in call:
            break
        call.cancel()
        for _ in range(40):
            before = len(asked)
            await asyncio.sleep(0.5)
            if len(asked) == before:
                return
        raise AssertionError("it goes on thinking")

    with_engine(tmp_path, check)


def test_bounds_of_an_analysis(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        here = position(midgame(GAMES[1]))
        cases: tuple[tuple[dict[str, Any], grpc.StatusCode], ...] = (
            ({"time": seconds(engine_service.MOST_SECONDS + 1)}, EXHAUSTED),
            ({"time": seconds(0)}, INVALID),
            ({"time": seconds(-1)}, INVALID),
            ({"iterations": engine_service.MOST_ITERATIONS + 1}, EXHAUSTED),
            ({"iterations": -1}, INVALID),
            ({"top": -1}, INVALID),
            ({"every": seconds(0.001)}, INVALID),
            ({"every": seconds(1000)}, INVALID),
            ({"playout": "clever"}, INVALID),
        )
        for values, code in cases:
            request = engine_pb2.AnalysePositionRequest(position=here, **values)
            subject, _ = await violation(answers(arena, request), code)
            assert subject in values
        over = hf.playout(hf.Rules(game="hansa", players=2).new(1), 1, "greedy")[0]
        for bad in (
            position(over),
            engine_pb2.Position(),
            engine_pb2.Position(rules=here.rules, state=here.state[:-1]),
        ):
            await violation(answers(arena, engine_pb2.AnalysePositionRequest(position=bad)), INVALID)

    with_engine(tmp_path, check)


def test_long_work_does_not_hold_up_matches(tmp_path: Path) -> None:
    async def check(arena: Table) -> None:
        here = position(hf.Rules(players=4).new(1))
        request = engine_pb2.RunPlayoutsRequest(position=here, playouts=3000, turn_limit=300)
        work = asyncio.ensure_future(arena.engine.RunPlayouts(request))
        await arena.check_health()
        assert (await work).decisions > 0

    with_engine(tmp_path, check)
