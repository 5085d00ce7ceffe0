"""EngineService: the rules as a service. Keeps nothing between calls; long work runs beside the event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import engine_pb2, engine_pb2_grpc, game_pb2, play_pb2
from hansa_fast import Rules, State
from hansa_server import wire
from hansa_server.edge import Context
from hansa_server.errors import BadField, TooMuch

ACTION_IDS = 1024
MOST_ACTIONS = 10_000  # in all lines of a call
MOST_TEXTS = 1_000
MOST_PLAYOUTS = 10_000
MOST_TURNS = 300
POLICIES = ("uniform", "greedy", "planner")
MOST_VISITS = 10_000_000  # positions a perft may visit
MOST_SECONDS = 60.0  # of thinking
MOST_ITERATIONS = 1_000_000
LEAST_PAUSE = 0.05  # seconds between two answers
USUAL_PAUSE = 0.5
NODES = 100_000  # of the tree of a call: its memory is bounded, too


class EngineService(engine_pb2_grpc.EngineServiceServicer):
    """The edge for languages without an engine."""

    async def ListGames(  # noqa: N802
        self, _request: engine_pb2.ListGamesRequest, _context: Context
    ) -> engine_pb2.ListGamesResponse:
        """What can be played."""
        response = engine_pb2.ListGamesResponse()
        for game in hf.games():
            response.games.add(
                game=game.name,
                editions=game.editions,
                boards=game.boards,
                phases=game.phases,
                action_ids=ACTION_IDS,
            )
        return response

    async def ListBoards(  # noqa: N802
        self, request: engine_pb2.ListBoardsRequest, _context: Context
    ) -> engine_pb2.ListBoardsResponse:
        """Boards in short."""
        games = hf.games()
        if request.game and request.game not in [game.name for game in games]:
            names = ", ".join(game.name for game in games)
            raise BadField("game", f"{request.game[:40]!r} is none of {names}")
        boards = [
            _board_info(hf.board(name)) for game in games if request.game in ("", game.name) for name in game.boards
        ]
        return engine_pb2.ListBoardsResponse(boards=boards)

    async def GetBoard(  # noqa: N802
        self, request: engine_pb2.GetBoardRequest, _context: Context
    ) -> engine_pb2.GetBoardResponse:
        """A whole board."""
        data = hf.board(request.board)
        text = json.dumps(data, ensure_ascii=False)
        return engine_pb2.GetBoardResponse(board=_board_info(data), board_json=text)

    async def NewGame(  # noqa: N802
        self, request: engine_pb2.NewGameRequest, _context: Context
    ) -> engine_pb2.NewGameResponse:
        """A new game."""
        rules = wire.rules_from_proto(request.rules)
        setup = None
        if request.setup_json:
            try:
                setup = json.loads(request.setup_json)
            except (ValueError, RecursionError) as error:
                raise BadField("setup_json", f"is no JSON: {error}") from None
            if not isinstance(setup, dict):
                raise BadField("setup_json", "must be an object")
        return engine_pb2.NewGameResponse(position=_position(rules.new(request.seed, setup)))

    async def GetPosition(  # noqa: N802
        self, request: engine_pb2.GetPositionRequest, _context: Context
    ) -> engine_pb2.GetPositionResponse:
        """All about a position."""
        state = _state(request.position)
        legal = state.legal_actions()
        ranks = state.result()["ranks"] if state.is_over else ()
        response = engine_pb2.GetPositionResponse(
            player=state.player,
            phase=state.phase,
            turn=state.turn,
            legal_actions=legal,
            scores=wire.scores_to_proto(state.scores(), ranks),
        )
        if request.texts:
            response.legal_texts.extend(state.describe(action) for action in legal)
        if request.HasField("viewer"):
            if not 0 <= request.viewer < state.rules.players:
                raise BadField("viewer", f"must be a seat from 0 to {state.rules.players - 1}, not {request.viewer}")
            state = state.view(request.viewer)
        if request.view_format == play_pb2.VIEW_FORMAT_MESSAGE:
            response.view.CopyFrom(wire.view_to_proto(state))
        elif request.view_format == play_pb2.VIEW_FORMAT_JSON:
            response.view_json = wire.view_json(state)
        elif request.view_format != play_pb2.VIEW_FORMAT_UNSPECIFIED:
            raise BadField("view_format", f"{request.view_format} is not known")
        return response

    async def ApplyActions(  # noqa: N802
        self, request: engine_pb2.ApplyActionsRequest, _context: Context
    ) -> engine_pb2.ApplyActionsResponse:
        """The ends of many lines."""
        if sum(len(line.actions) for line in request.lines) > MOST_ACTIONS or len(request.lines) > MOST_ACTIONS:
            raise TooMuch("lines", f"at most {MOST_ACTIONS} actions and lines in one call")
        start = _state(request.position)
        ends = [_play_line(start.copy(), list(line.actions)) for line in request.lines]
        return engine_pb2.ApplyActionsResponse(ends=ends)

    async def DescribeActions(  # noqa: N802
        self, request: engine_pb2.DescribeActionsRequest, _context: Context
    ) -> engine_pb2.DescribeActionsResponse:
        """Texts of actions."""
        state = _state(request.position)
        chosen = list(request.actions) or state.legal_actions()
        if len(chosen) > ACTION_IDS:
            raise TooMuch("actions", f"at most {ACTION_IDS} in one call")
        texts = [game_pb2.ActionText(action=action, text=state.describe(action)) for action in chosen]
        return engine_pb2.DescribeActionsResponse(actions=texts)

    async def ParseActions(  # noqa: N802
        self, request: engine_pb2.ParseActionsRequest, _context: Context
    ) -> engine_pb2.ParseActionsResponse:
        """Actions of texts."""
        if len(request.texts) > MOST_TEXTS:
            raise TooMuch("texts", f"at most {MOST_TEXTS} in one call")
        state = _state(request.position)
        ids = [state.parse(text) for text in request.texts]
        actions = [game_pb2.ActionText(action=action, text=state.describe(action)) for action in ids]
        return engine_pb2.ParseActionsResponse(actions=actions)

    async def RunPlayouts(  # noqa: N802
        self, request: engine_pb2.RunPlayoutsRequest, _context: Context
    ) -> engine_pb2.RunPlayoutsResponse:
        """Many playouts, without the GIL and beside the event loop."""
        for field, least, most in (("playouts", 1, MOST_PLAYOUTS), ("turn_limit", 0, MOST_TURNS)):
            value = getattr(request, field)
            if value < least:
                raise BadField(field, f"must be at least {least}, not {value}")
            if value > most:
                raise TooMuch(field, f"at most {most} in one call, not {value}")
        policy = request.policy or "uniform"
        if policy not in POLICIES:
            raise BadField("policy", f"{policy[:40]!r} is none of {', '.join(POLICIES)}")
        state = _state(request.position)
        limit = state.turn + (request.turn_limit or MOST_TURNS)
        found = await asyncio.to_thread(
            hf.playouts, state, request.playouts, request.seed, policy=policy, turn_limit=limit
        )
        return engine_pb2.RunPlayoutsResponse(
            decisions=found["decisions"],
            mean_score=found["mean_score"],
            mean_rank=found["mean_rank"],
            win_share=found["win_share"],
        )

    async def CountPerft(  # noqa: N802
        self, request: engine_pb2.CountPerftRequest, _context: Context
    ) -> engine_pb2.CountPerftResponse:
        """Perft, as far as the bound on visited positions goes."""
        if not 0 <= request.depth <= 100:
            raise BadField("depth", f"must be from 0 to 100, not {request.depth}")
        state = _state(request.position)
        count = 1
        for depth in range(1, request.depth + 1):
            # The positions visited for this depth are the leaves of the one before.
            if count > MOST_VISITS:
                raise TooMuch("depth", f"depth {depth} would visit {count} positions, at most {MOST_VISITS}")
            count = await asyncio.to_thread(hf.perft, state, depth)
        return engine_pb2.CountPerftResponse(count=count)

    async def AnalysePosition(  # noqa: N802
        self, request: engine_pb2.AnalysePositionRequest, _context: Context
    ) -> AsyncIterator[engine_pb2.AnalysePositionResponse]:
        """A search, answer by answer. It thinks only while the caller waits for the next one."""
        settings, pause = _search_settings(request)
        state = State.from_bytes(wire.rules_from_proto(request.position.rules), request.position.state)
        if state.is_over:
            raise BadField("position", "the game is over, so there is nothing to decide")
        answers = hf.Search(settings, seed=request.seed).improve(state, every=pause)
        while (found := await asyncio.to_thread(next, answers, None)) is not None:
            yield _analysis(state, found, request)


def _board_info(data: Any) -> engine_pb2.BoardInfo:
    game = next(game.name for game in hf.games() if data["id"] in game.boards)
    return engine_pb2.BoardInfo(board=data["id"], game=game, title=data["name"], players=data["players"])


def _position(state: State) -> engine_pb2.Position:
    return engine_pb2.Position(rules=wire.rules_to_proto(state.rules), state=state.to_bytes())


def _state(position: engine_pb2.Position) -> State:
    rules: Rules = wire.rules_from_proto(position.rules)
    state = State.from_bytes(rules, position.state)
    if state.is_view:
        raise BadField("position.state", "is a view: hidden things are missing in it")
    return state


def _search_settings(request: engine_pb2.AnalysePositionRequest) -> tuple[hf.SearchSettings, float]:
    """How to search, and how often to answer."""
    time = wire.duration_from_proto(request.time) if request.HasField("time") else None
    pause = wire.duration_from_proto(request.every) if request.HasField("every") else USUAL_PAUSE
    if time is not None and time > MOST_SECONDS:
        raise TooMuch("time", f"at most {MOST_SECONDS:g} seconds in one call, not {time:g}")
    if request.iterations > MOST_ITERATIONS:
        raise TooMuch("iterations", f"at most {MOST_ITERATIONS} in one call, not {request.iterations}")
    if request.iterations < 0:
        raise BadField("iterations", f"must be 1 or more, or 0 for no limit, not {request.iterations}")
    if request.top < 0:
        raise BadField("top", f"must be 1 or more, or 0 for all, not {request.top}")
    if not LEAST_PAUSE <= pause <= MOST_SECONDS:
        raise BadField("every", f"must be from {LEAST_PAUSE:g} to {MOST_SECONDS:g} seconds, not {pause:g}")
    playout = request.playout or hf.SearchSettings().playout
    return hf.SearchSettings(time=time, iterations=request.iterations or None, nodes=NODES, playout=playout), pause


def _analysis(
    state: State, found: hf.Analysis, request: engine_pb2.AnalysePositionRequest
) -> engine_pb2.AnalysePositionResponse:
    response = engine_pb2.AnalysePositionResponse(
        player=found.player,
        iterations=found.iterations,
        elapsed=wire.duration_to_proto(found.seconds),
        nodes=found.nodes,
        last=found.is_last,
    )
    for candidate in found.candidates[: request.top or None]:
        texts = candidate.texts(state)
        response.actions.add(
            action=candidate.action,
            text=texts[0] if request.texts else "",
            visits=candidate.visits,
            value=candidate.value,
            place=candidate.place,
            score=candidate.score,
            line=[
                game_pb2.ActionText(action=action, text=text if request.texts else "")
                for action, text in zip(candidate.line, texts, strict=False)
            ],
        )
    return response


def _play_line(state: State, actions: list[int]) -> engine_pb2.LineEnd:
    problem = ""
    played = 0
    for action in actions:
        try:
            state.apply(action)
        except hf.IllegalActionError as error:
            problem = str(error)
            break
        played += 1
    return engine_pb2.LineEnd(
        position=_position(state),
        played=played,
        problem=problem,
        player=state.player,
        legal_actions=state.legal_actions(),
    )
