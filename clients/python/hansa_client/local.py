"""Bots in one process, without a server: for tests, for learning, for trying a bot out. Needs hansa_fast."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hansa_client._bot import Bot
from hansa_client._errors import OptionError
from hansa_client._match import Action, Clock, Match, Played, Result, Rules, SeatResult
from hansa_client._table import checked
from hansa_client._view import facts, view_of

if TYPE_CHECKING:
    import hansa_fast


class LocalGame(NamedTuple):
    """A game that was played: how it came out, and its record (`game.to_text()`, `game.save(path)`)."""

    result: Result
    game: hansa_fast.Game


def play(bots: Sequence[Bot], rules: hansa_fast.Rules | Mapping[str, Any] | None = None, seed: int = 0) -> LocalGame:
    """Play a game between bots, by seat. Rules may be given as options, such as `{"game": "hansa"}`.

    The bots see what they would see on a server. Decisions with a single legal answer are played without asking, there
    and here. What a bot raises is raised.
    """
    return asyncio.run(play_async(bots, rules, seed))


async def play_async(
    bots: Sequence[Bot], rules: hansa_fast.Rules | Mapping[str, Any] | None = None, seed: int = 0
) -> LocalGame:
    """The same, in a program that has an event loop."""
    try:
        import hansa_fast
    except ImportError:
        raise OptionError("playing without a server needs the rules engine: install hansa_fast") from None

    if not isinstance(rules, hansa_fast.Rules):
        rules = hansa_fast.Rules(**{"players": len(bots), **(rules or {})})
    if rules.players != len(bots):
        raise OptionError(f"{rules.players} seats need as many bots, not {len(bots)}")
    names = tuple(bot.name or type(bot).__name__ for bot in bots)
    game = hansa_fast.Game(rules, seed, tags={f"Seat {seat}": name for seat, name in enumerate(names)})
    state = game.state
    history: list[Played] = []
    matches = [Match(f"local-{seed}", seat, _rules_of(rules), names, history=history) for seat in range(len(bots))]
    for bot, match in zip(bots, matches, strict=True):
        await _settled(bot.match_started(match))
    while not state.is_over:
        seat = state.player
        legal = [Action(action, state.describe(action)) for action in state.legal_actions()]
        action = legal[0]
        if len(legal) > 1:
            view = view_of(facts(state.view(seat).to_dict()), matches[seat], Clock())
            chosen = checked(await _settled(bots[seat].choose(view, list(legal))), legal).action
            assert isinstance(chosen, Action)
            action = chosen
        state.apply(action.id)
        game.play(action.id)
        played = Played(len(history), seat, action.id, action.text)
        history.append(played)
        for bot, match in zip(bots, matches, strict=True):
            if type(bot).actions_played is not Bot.actions_played:
                await _settled(bot.actions_played(match, [played]))
    result = _result_of(state, len(history))
    for bot, match in zip(bots, matches, strict=True):
        await _settled(bot.match_ended(match, result))
    return LocalGame(result, game)


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _rules_of(rules: hansa_fast.Rules) -> Rules:
    return Rules(rules.game, rules.edition, rules.board, rules.players, rules.missions, rules.favours, rules.turn_limit)


def _result_of(state: hansa_fast.State, actions: int) -> Result:
    found = state.result()
    seats = (
        SeatResult(seat, scores["total"], rank, {key: value for key, value in scores.items() if key != "total"})
        for seat, (scores, rank) in enumerate(zip(found["scores"], found["ranks"], strict=True))
    )
    return Result(tuple(found["reasons"]), tuple(seats), actions)
