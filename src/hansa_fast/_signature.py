"""One number for the behaviour of the engine: it changes when a rule, an id, the generator or a policy does."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator

from hansa_fast._errors import RulesError
from hansa_fast._rules import EDITIONS, GAMES, Rules, board_names
from hansa_fast._state import State, perft, playouts

SEED = 7
TURN_LIMIT = 100
PLAYOUTS = 60
WALK = 600  # decisions of the walk through each set of rules
STOP_EVERY = 40  # decisions between two looks at the whole position


def every_rules() -> Iterator[Rules]:
    """All combinations of options that can be played, of all games."""
    for game in GAMES:
        for edition, board, players, missions, favours in itertools.product(
            EDITIONS[game], board_names(game), range(2, 6), (False, True), (False, True)
        ):
            try:
                yield Rules(game, edition, board, players, missions, favours, TURN_LIMIT)
            except RulesError:
                continue


def signature() -> int:
    """The number: a checksum over perft counts, playouts and a walk through every set of rules; takes a second."""
    value = 0
    for rules in every_rules():
        for line in _facts(rules.new(seed=SEED)):
            value = zlib.crc32(line.encode(), value)
    return value


def _facts(state: State) -> Iterator[str]:
    """What the number is made of, as text."""
    yield repr(state.rules)
    yield f"perft {perft(state, 3)}"
    for policy in ("uniform", "greedy"):
        yield f"{policy} {sorted(playouts(state, PLAYOUTS, SEED, policy=policy).items())}"
    mixer = SEED
    for number in range(WALK):
        if state.is_over:
            break
        actions = state.legal_actions()
        mixer = (mixer * 6364136223846793005 + 1442695040888963407) % 2**64
        action = actions[(mixer >> 33) % len(actions)]
        yield f"{state.player} {state.phase} {len(actions)} {state.describe(action)}"
        state.apply(action)
        if number % STOP_EVERY == 0:
            yield f"{state.to_bytes().hex()} {state.scores()} {perft(state, 2)}"
