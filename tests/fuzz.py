"""Broken input for everything that reads input: dicts, bytes, texts, options, set-ups and records.

Whatever is given is either accepted, and then it round-trips and can be played on without ever leaving what the checks
accept, or it is refused with the package's own error, whose message can be printed. Nothing else may happen.

    python -m tests.fuzz --minutes 10 [--seed N] [--target dict]

A trial is known by its target and number; a failing one is repeated by `--target dict --trial 123456`.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import hansa_fast as hf
from tests import hansa_changes, teutonica_changes
from tests.conservation import Json, check_whole
from tests.playing import sample, walk_step
from tests.reference import setup_of
from tests.rows import RULES, row_name

FAR = 40  # decisions played on from an accepted position
LONGEST_MESSAGE = 60_000
CHANGES = {"teutonica": teutonica_changes, "hansa": hansa_changes}


# -- What may happen --------------------------------------------------------------------------------------------------


def check_refusal(error: hf.HansaError) -> None:
    """The message says something, in so many words, and can be printed."""
    text = str(error)
    assert text.strip()
    assert len(text) < LONGEST_MESSAGE, len(text)
    text.encode("utf-8")
    if isinstance(error, hf.PositionError):
        assert error.problems
        assert all(problem.strip() for problem in error.problems)


def check_saved(state: hf.State, how: str) -> None:
    """The position can be written down and read back; nothing of it is lost."""
    d = state.to_dict()
    try:
        assert hf.State.from_dict(state.rules, d) == state
        assert hf.State.from_bytes(state.rules, state.to_bytes()) == state
        assert hf.State.from_dict(state.rules, json.loads(json.dumps(d, allow_nan=False))) == state
    except (hf.PositionError, AssertionError) as error:
        raise AssertionError(f"{how}: {error!r}: {json.dumps(d)}") from error
    check_whole(state.rules, d)


def check_playable(state: hf.State, rng: random.Random) -> None:
    """An accepted position: everything that is legal can be played, and so on to the end of the game."""
    check_saved(state, "accepted")
    legal = state.legal_actions()
    assert bool(legal) != state.is_over, state.to_dict()
    assert len({state.describe(action) for action in legal}) == len(legal), state.to_dict()
    state.scores()
    seat = rng.randrange(state.rules.players)
    view = state.view(seat)
    assert view.legal_actions() == legal
    check_saved(view, "view")
    full = state.redeal(seat, rng.getrandbits(64))
    check_saved(full, "redeal")
    for action in rng.sample(legal, min(len(legal), 25)):
        then = full.copy()
        then.apply(action)
        check_saved(then, f"after {state.describe(action)}")
    for _ in range(FAR):
        if full.is_over:
            break
        action = walk_step(full, rng)
        text = full.describe(action)
        full.apply(action)
        check_saved(full, f"on the way, after {text}")
    for policy in ("uniform", "greedy"):
        end, _ = hf.playout(full, rng.getrandbits(64), policy=policy, turn_limit=min(full.turn + 60, 2**31 - 1))
        assert end.is_over
        check_saved(end, f"end of a {policy} playout")
        end.result()


def read_position(rules: hf.Rules, d: Any, rng: random.Random) -> bool:
    """One position: accepted and playable, or refused."""
    try:
        state = hf.State.from_dict(rules, d)
    except hf.PositionError as error:
        check_refusal(error)
        return False
    assert state.to_dict() == d
    check_playable(state, rng)
    return True


# -- Garbage ----------------------------------------------------------------------------------------------------------

GARBAGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 17, 26, 99, 100, 255, 256, 1023, 1024, 2**31 - 1, 2**31, 2**32, 2**63, 2**64,
    -(2**63), 10**5000, 0.0, 1.0, 2.5, float("nan"), float("inf"), "", " ", "hidden", "trader 0", "merchant 4",
    "trader 9", "orange 1", "blue 4", "main", "over", "\ud800", "\x00", "a\nb", "\u202e", "Lübeck", "Lu\u0308beck",
    "x" * 5000, "0", "٣", [], {}, [[]],
    [None], {"": None}, {"\ud800": 1}, {"a": {"b": []}}, b"bytes", {1: 2}, (1, 2), {1, 2}, object(),
)  # fmt: skip


def garbage(rng: random.Random) -> Any:
    """Something of the wrong kind, sometimes deep or large."""
    kind = rng.random()
    if kind < 0.02:
        deep: Any = []
        for _ in range(3000):
            deep = [deep] if rng.random() < 0.5 else {"a": deep}
        return deep
    if kind < 0.04:
        return {f"key {k}": k for k in range(3000)}
    if kind < 0.06:
        return list(range(3000))
    return rng.choice(GARBAGE)


def places(value: Any, limit: int = 4000) -> list[tuple[Any, Any]]:
    """All (container, key) pairs inside a JSON value."""
    out: list[tuple[Any, Any]] = []
    todo = [value]
    while todo and len(out) < limit:
        one = todo.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            out.append((one, key))
            todo.append(one[key])
    return out


def spoil(value: Any, rng: random.Random) -> Any:
    """A JSON value with one thing broken."""
    spots = places(value)
    if not spots or rng.random() < 0.02:
        return garbage(rng)
    box, key = rng.choice(spots)
    kind = rng.randrange(7)
    if kind == 0:
        del box[key]
    elif kind == 1:
        box[key] = garbage(rng)
    elif kind == 2 and isinstance(box[key], int):
        box[key] = int(box[key]) + rng.choice((-1, 1, 2, -2, 10))
    elif kind == 3:
        other, where = rng.choice(spots)
        box[key], other[where] = other[where], box[key]  # may well contain itself now
    elif kind == 4 and isinstance(box, dict):
        box[rng.choice(["", "hidden", "turn", "\ud800", "x", str(key) + " ", str(key).upper()])] = box[key]
    elif kind == 5 and isinstance(box, list):
        box.insert(key, rng.choice(box))
    elif isinstance(box[key], str):
        box[key] = spoil_text(box[key], rng)
    else:
        box[key] = garbage(rng)
    return value


def spoil_text(text: str, rng: random.Random) -> str:
    """A text with a few letters changed."""
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters) + 1)
        kind = rng.randrange(5)
        if kind == 0 and letters:
            del letters[at % len(letters)]
        elif kind == 1:
            letters.insert(at, rng.choice(' 0123456789-abcxyzüÖß@;#[]"\\\n\t\x00\ud800\u202e\u0308İ'))
        elif kind == 2 and letters:
            letters[at % len(letters)] = rng.choice("0123456789 -aeiou")
        elif kind == 3:
            letters[at:at] = letters[: rng.randint(0, 8)]
        else:
            letters = letters[:at]
    return "".join(letters)


@cache
def dicts(rules: hf.Rules) -> tuple[Json, ...]:
    return tuple(state.to_dict() for state in sample(rules))


# -- Targets: one trial each, from its own generator; true if the input was accepted ----------------------------------


def fuzz_dict(rng: random.Random) -> bool:
    """Positions with one thing of the wrong kind."""
    rules = rng.choice(RULES)
    d: Any = copy.deepcopy(rng.choice(dicts(rules)))
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        d = spoil(d, rng)
    return read_position(rules, d, rng)


def fuzz_position(rng: random.Random) -> bool:
    """Positions of which every part can be read, but which hardly fit together."""
    rules = rng.choice(RULES)
    changes = CHANGES[rules.game]
    d = copy.deepcopy(rng.choice(dicts(rules)))
    if rng.random() < 0.25:  # the phase of another position, with more or less of what belongs to it
        donor = rng.choice(dicts(rules))
        for key in changes.PHASE_KEYS[: rng.choice((2, 3, 5))]:
            d[key] = copy.deepcopy(donor[key])
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        changes.change(rules, d, rng)
    changes.mend(rules, d)
    return read_position(rules, d, rng)


def fuzz_bytes(rng: random.Random) -> bool:
    """Compact forms with wrong bytes, cut or extended."""
    rules = rng.choice(RULES)
    data = bytearray(rng.choice(sample(rules)).to_bytes())
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(8, len(data)) if rng.random() < 0.97 else rng.randrange(8)
            near = (data[at] ^ (1 << rng.randrange(8)), (data[at] + 1) & 255)
            data[at] = rng.choice((0, 1, 2, 255, rng.randrange(256), *near))
    elif kind < 0.8:
        start, size = rng.randrange(8, len(data)), rng.randint(1, 40)
        data[start : start + size] = rng.randbytes(len(data[start : start + size]))
    elif kind < 0.9:
        del data[rng.randrange(len(data)) :]
    elif kind < 0.95:
        data += rng.randbytes(rng.randint(1, 9))
    else:
        data = bytearray(rng.randbytes(rng.choice((0, 1, 8, len(data)))))
    value: Any = bytes(data) if rng.random() < 0.95 else garbage(rng)
    try:
        state = hf.State.from_bytes(rules, value)
    except hf.PositionError as error:
        check_refusal(error)
        return False
    assert state.to_bytes() == value
    check_playable(state, rng)
    return True


def fuzz_parse(rng: random.Random) -> bool:
    """Action texts with slips of the pen, and worse."""
    state = rng.choice(sample(rng.choice(RULES)))
    legal = state.legal_actions()
    before = state.to_bytes()
    text: Any
    if rng.random() < 0.1 or not legal:
        text = garbage(rng)
    else:
        text = spoil_text(state.describe(rng.choice(legal)), rng)
        if rng.random() < 0.05:
            text *= rng.choice((2, 50, 5000))
    try:
        action = state.parse(text)
    except (hf.ActionTextError, hf.IllegalActionError) as error:
        check_refusal(error)
        return False
    finally:
        assert state.to_bytes() == before
    assert action in legal
    assert state.parse(state.describe(action)) == action
    return True


def fuzz_rules(rng: random.Random) -> bool:
    """Options of games."""
    options: dict[str, Any] = rng.choice(RULES).to_dict()
    for key in rng.sample(sorted(options), rng.randint(0, 3)):
        likely = [rng.choice(RULES).to_dict()[key], "hansa", 2, 3, 4, 5, True, 1]
        options[key] = rng.choice(likely) if rng.random() < 0.5 else garbage(rng)
    try:
        rules = hf.Rules(**options)
    except hf.RulesError as error:
        check_refusal(error)
        return False
    assert hf.Rules(**rules.to_dict()) == rules
    state = rules.new(seed=rng.getrandbits(64))
    assert hf.State.from_dict(rules, state.to_dict()) == state
    return True


def fuzz_setup(rng: random.Random) -> bool:
    """Explicit set-ups."""
    rules = rng.choice(RULES)
    setup: Any = setup_of(rules.new(seed=rng.getrandbits(64)))
    for part in rng.sample(sorted(setup), rng.randint(0, 1)):
        del setup[part]
    for _ in range(rng.choice((0, 1, 1, 2))):
        setup = spoil(setup, rng)
    try:
        state = rules.new(seed=1, setup=setup)
    except hf.RulesError as error:
        check_refusal(error)
        return False
    check_playable(state, rng)
    return True


@cache
def records() -> tuple[str, ...]:
    """Records of short and of finished games."""
    out = []
    for k, rules in enumerate(RULES):
        rng = random.Random(row_name(rules))
        setup = setup_of(rules.new(seed=rng.getrandbits(64))) if k % 2 else None
        game = hf.Game(rules, seed=k, setup=setup, tags={"Seat 0": "anna", "Note": 'a "quoted" ü'})
        while not game.state.is_over and (k % 3 == 0 or len(game) < 60) and len(game) < 1500:
            game.play(game.state.choose(rng.getrandbits(64), "greedy"))
        out.append(game.to_text())
    return tuple(out)


LINES = ("", "# a note", "  ", '[A "b"]', '[A "\\ud800"]', '[B\rC "x"]', "9. @0 end", '[Setup "[]"]')


def fuzz_record(rng: random.Random) -> bool:
    """Game records with changed lines."""
    text: Any = rng.choice(records())
    for _ in range(rng.choice((1, 1, 2))):
        kind = rng.random()
        lines = text.split("\n")
        at = rng.randrange(min(len(lines), rng.choice((16, 10**6))))
        if kind < 0.5:
            lines[at] = spoil_text(lines[at], rng)
        elif kind < 0.65:
            del lines[at]
        elif kind < 0.8:
            lines.insert(at, rng.choice(lines))
        elif kind < 0.9:
            lines.insert(at, rng.choice(LINES))
        else:
            del lines[at:]
        text = "\n".join(lines)
    if rng.random() < 0.02:
        text = garbage(rng)
    try:
        game = hf.Game.from_text(text)
    except hf.RecordError as error:
        check_refusal(error)
        return False
    again = game.to_text()
    assert again.encode("utf-8").decode("utf-8") == again
    assert hf.Game.from_text(again.replace("\r\n", "\n").replace("\r", "\n")) == game
    assert game.state_at(len(game)) == game.state
    return True


TARGETS: dict[str, Callable[[random.Random], bool]] = {
    "dict": fuzz_dict,
    "position": fuzz_position,
    "bytes": fuzz_bytes,
    "parse": fuzz_parse,
    "rules": fuzz_rules,
    "setup": fuzz_setup,
    "record": fuzz_record,
}


def run_trial(target: str, number: int) -> bool:
    """The trial of this number; it is the same in every run."""
    try:
        return TARGETS[target](random.Random(f"{target} {number}"))
    except Exception as error:
        raise AssertionError(f"fuzz trial {number} of {target}: {type(error).__name__}: {str(error)[:3000]}") from error


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed broken input to the package for some minutes.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None, help="number of the first trial; default: by the clock")
    parser.add_argument("--target", choices=sorted(TARGETS), default=None)
    parser.add_argument("--trial", type=int, default=None, help="only this one trial of the target")
    args = parser.parse_args()
    if args.trial is not None:
        print("accepted" if run_trial(args.target or "dict", args.trial) else "refused")
        return
    names = [args.target] if args.target else sorted(TARGETS)
    number = time.time_ns() if args.seed is None else args.seed
    accepted: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    end = time.monotonic() + 60 * args.minutes
    while time.monotonic() < end:
        for name in names:
            for _ in range(50):
                number += 1
                accepted[name] += run_trial(name, number)
                trials[name] += 1
    for name in names:
        print(f"{name}: {trials[name]} trials, {accepted[name]} accepted")


if __name__ == "__main__":
    main()
