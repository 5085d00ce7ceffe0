"""Matches of the script: real games, of which the bot that is checked plays one seat."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.duration_pb2 import Duration

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, play_pb2, view_pb2

ViewMessage = Callable[[hf.State], view_pb2.View]

# Options under which, together, every phase of both games comes up.
ROWS: tuple[dict[str, Any], ...] = (
    {"players": 4, "missions": True, "favours": True},
    {"players": 2},
    {"players": 4, "board": "east"},
    {"game": "hansa", "players": 3},
)
SEEDS = 500  # tried at most; a few dozen are enough

_numbers = itertools.count(1)


class Table:
    """A match. Decisions with a single answer are played without asking, as the server does it."""

    def __init__(self, rules: hf.Rules, seed: int, actions: list[int], *, anonymous: bool = False) -> None:
        self.match_id = f"check-{next(_numbers)}"
        self.rules = rules
        self.game = hf.Game(rules, seed)
        self.played: list[game_pb2.PlayedAction] = []
        self.anonymous = anonymous
        self.told = 0
        for action in actions:
            self.play(action)
        self.state = self.game.state
        self.seat = self.state.player

    @property
    def sequence(self) -> int:
        """Actions played."""
        return len(self.played)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state.is_over

    def play(self, action: int) -> None:
        """Play an action of whoever decides."""
        state = self.game.state
        seat = state.player
        text = state.describe(action)
        self.game.play(action)
        self.played.append(game_pb2.PlayedAction(sequence=self.sequence, seat=seat, action=action, text=text))
        self.state = self.game.state

    def go_on(self) -> None:
        """Let the others play until the bot has a choice, or the game is over."""
        while not self.is_over and (self.state.player != self.seat or len(self.state.legal_actions()) == 1):
            self.play(self.state.choose(self.sequence * 7919 + 1, "greedy"))

    def started(self, hello: play_pb2.Hello) -> play_pb2.PlayResponse:
        """The match with all that happened so far."""
        rules = self.rules
        names = [""] * rules.players if self.anonymous else [f"opponent-{seat}" for seat in range(rules.players)]
        names[self.seat] = hello.name or "you"
        self.told = self.sequence
        return play_pb2.PlayResponse(
            match_started=play_pb2.MatchStarted(
                match_id=self.match_id,
                rules=game_pb2.Rules(
                    game=rules.game,
                    edition=rules.edition,
                    board=rules.board,
                    players=rules.players,
                    missions=rules.missions,
                    favours=rules.favours,
                    turn_limit=rules.turn_limit or 0,
                ),
                seat=self.seat,
                players=names,
                clock=clock_pb2.ClockRules(per_decision=Duration(seconds=60)),
                history=self._shown(hello, 0),
            )
        )

    def request(self, hello: play_pb2.Hello, view_message: ViewMessage | None) -> play_pb2.PlayResponse:
        """The question that is open, the way this bot wants it."""
        state = self.state
        legal = state.legal_actions()
        request = play_pb2.DecisionRequest(
            match_id=self.match_id,
            seat=self.seat,
            sequence=self.sequence,
            legal_actions=legal,
            legal_texts=[state.describe(action) for action in legal] if hello.texts else [],
            phase=state.phase,
            clock=clock_pb2.ClockState(decision=Duration(seconds=60)),
            events=self._shown(hello, self.told),
        )
        self.told = self.sequence
        seen = state.view(self.seat)
        if hello.view_format == play_pb2.VIEW_FORMAT_JSON:
            request.view_json = json.dumps(seen.to_dict(), ensure_ascii=False)
        elif hello.view_format == play_pb2.VIEW_FORMAT_MESSAGE and view_message is not None:
            request.view.CopyFrom(view_message(seen))
        return play_pb2.PlayResponse(decision_request=request)

    def events(self, hello: play_pb2.Hello, begin: int) -> play_pb2.PlayResponse:
        """What was played from this action on."""
        events = play_pb2.MatchEvents(match_id=self.match_id, actions=self._shown(hello, begin))
        return play_pb2.PlayResponse(match_events=events)

    def ended(self) -> play_pb2.PlayResponse:
        """The end, of the game or by an organiser."""
        scores = self.state.scores()
        reasons, ranks = ["aborted"], [1] * len(scores)
        if self.is_over:
            reasons, ranks = self.state.result()["reasons"], self.state.result()["ranks"]
        seats = [
            game_pb2.SeatResult(
                seat=seat,
                scores=[game_pb2.ScoreEntry(category=key, points=n) for key, n in score.items() if key != "total"],
                total=score["total"],
                rank=ranks[seat],
            )
            for seat, score in enumerate(scores)
        ]
        result = game_pb2.Result(reasons=reasons, seats=seats, actions=self.sequence)
        return play_pb2.PlayResponse(match_ended=play_pb2.MatchEnded(match_id=self.match_id, result=result))

    def _shown(self, hello: play_pb2.Hello, begin: int) -> list[game_pb2.PlayedAction]:
        if hello.texts:
            return self.played[begin:]
        return [
            game_pb2.PlayedAction(sequence=part.sequence, seat=part.seat, action=part.action)
            for part in self.played[begin:]
        ]


def phases(game: str) -> list[str]:
    """The phases of a game in which somebody decides."""
    info = next(info for info in hf.games() if info.name == game)
    return [phase for phase in info.phases if phase != "over"]


def find_positions(game: str) -> dict[str, Callable[[], Table]]:
    """For every phase of a game something that sets up a match with a real choice in that phase."""
    wanted = phases(game)
    found: dict[str, Callable[[], Table]] = {}
    for rules, seed, actions, phase in _choices(game):
        if phase not in found:
            kept = list(actions)
            found[phase] = lambda rules=rules, seed=seed, kept=kept: Table(rules, seed, kept)  # type: ignore[misc]
        if len(found) == len(wanted):
            break
    missing = [phase for phase in wanted if phase not in found]
    assert not missing, f"no position found for {', '.join(missing)}"
    return {phase: found[phase] for phase in wanted}


def _choices(game: str) -> Iterator[tuple[hf.Rules, int, list[int], str]]:
    """Decisions of many games, played now well and now badly, since rare phases need both."""
    for seed in range(SEEDS):
        for row in ROWS:
            rules = hf.Rules(**row, turn_limit=200)
            if rules.game != game:
                continue
            state = rules.new(seed)
            actions: list[int] = []
            while not state.is_over:
                if state.legal_mask().bit_count() > 1:
                    yield rules, seed, actions, state.phase
                number = len(actions)
                action = state.choose(seed * 7919 + number, "greedy" if (seed + number // 40) % 3 else "uniform")
                state.apply(action)
                actions.append(action)


def new_table(game: str, *, turn_limit: int = 60, seed: int = 1, anonymous: bool = False) -> Table:
    """A match from its beginning, at the bot's first choice; the bot sits at the seat that has it."""
    rules = hf.Rules(game=game, players=3, turn_limit=turn_limit)
    table = Table(rules, seed, [], anonymous=anonymous)
    table.go_on()
    return table
