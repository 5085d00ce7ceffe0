"""What no action changes: pieces, markers, tiles, goods, booths; and the account of the talers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import hansa_fast as hf

Json = dict[str, Any]

# Hansa Teutonica
DESK = {"keys": 4, "actions": 5, "privilege": 3, "book": 3, "bank": 3}
WHOLE = {"trader": 26, "merchant": 4}  # without the score marker
MARKERS = {"2009": 16, "big-box": 15}
# Hansa
GOODS = {2: 52, 3: 65, 4: 78}
KINDS = {1: 4, 2: 5, 3: 4}  # markers of a colour by barrels
BOOTHS = 15


def inventory(rules: hf.Rules, d: Json) -> Counter[str]:
    """The markers of the game by kind, wherever they are; hidden ones as `hidden`."""
    return count_goods(d) if rules.game == "hansa" else count_markers(d)


def check_whole(rules: hf.Rules, d: Json) -> None:
    """Nothing is missing and nothing is there twice, told from the canonical dict alone."""
    if rules.game == "hansa":
        _check_hansa(rules, d)
    else:
        _check_teutonica(rules, d)


# -- Hansa Teutonica --------------------------------------------------------------------------------------------------


def _check_teutonica(rules: hf.Rules, d: Json) -> None:
    for seat in range(rules.players):
        assert count_pieces(d, seat) == WHOLE, (seat, d)
    assert count_markers(d).total() == MARKERS[rules.edition], d
    waiting = len(d["markers"]) + sum(d["plate"].values()) + sum(sum(p["plate"].values()) for p in d["players"])
    assert waiting == (2 if "no marker" in d["end"] else 3), d
    tiles = d["favours"] + [tile for player in d["players"] for tile in player["favours"]]
    assert len(set(tiles)) == len(tiles) == (rules.players if rules.favours else 0), d


def hand_pieces(d: Json) -> list[str]:
    """Pieces in hand, which are neither on the board nor on a desk."""
    pending = d["pending"] or {}
    out = []
    if d["phase"] == "set":
        out.append(pending["hand"])
    if d["phase"] in ("answer", "answer-to") and pending["down"] is None:
        out.append(f"{pending['shape']} {d['player']}")
    if d["phase"] == "answer-to":
        out.append(f"{pending['hand']} {d['player']}")
    return out


def board_pieces(d: Json) -> list[str]:
    """All pieces on posts, in offices and on spaces of prestige."""
    rows: list[Iterable[str | None]] = [d["posts"].values()]
    for key in ("offices", "extra", "green"):
        rows += d[key].values()
    out = [piece for row in rows for piece in row if piece is not None]
    return out + [f"merchant {seat}" for seat in d["prestige"].values()]


def count_pieces(d: Json, seat: int) -> dict[str, int]:
    """All pieces of a seat by shape, counted from the canonical dict alone."""
    player = d["players"][seat]
    total = Counter({shape: player["supply"][shape + "s"] + player["stock"][shape + "s"] for shape in WHOLE})
    for ability, size in DESK.items():
        total["merchant" if ability == "book" else "trader"] += size - player["abilities"][ability]
    for piece in board_pieces(d) + hand_pieces(d):
        shape, owner = piece.split()
        total[shape] += owner == str(seat)
    return dict(total)


def count_markers(d: Json) -> Counter[str]:
    """All markers by kind, counted from the canonical dict alone; hidden ones as `hidden`."""
    total = Counter(d["markers"].values()) + Counter(d["pile"]) + Counter(d["plate"])
    for player in d["players"]:
        for key in ("markers", "used", "plate"):
            total.update(player[key])
    return total


# -- Hansa ------------------------------------------------------------------------------------------------------------


def _check_hansa(rules: hf.Rules, d: Json) -> None:
    for seat in range(rules.players):
        assert count_booths(d, seat) == BOOTHS, (seat, d)
    goods = count_goods(d)
    assert goods.total() == GOODS[rules.players], d
    whole = Counter({f"{colour} {barrels}": n for colour in d["colours"] for barrels, n in KINDS.items()})
    assert Counter({good: n for good, n in goods.items() if good != "hidden"}) <= whole, d
    assert "hidden" in goods or goods == whole, d


def count_goods(d: Json) -> Counter[str]:
    """All goods markers by kind; hidden ones as `hidden`."""
    goods: Counter[str] = Counter(d["removed"])
    for row in (*d["warehouses"].values(), *d["piles"]):
        goods.update(good for good in row if good is not None)
    for player in d["players"]:
        goods.update(player["unsold"])
        goods.update(player["sold"])
    return goods


def count_booths(d: Json, seat: int) -> int:
    """All booths of a seat."""
    on_board = sum(row[seat] for row in d["booths"].values())
    return int(d["players"][seat]["booths"] + on_board)


class Ledger:
    """Who must have how many talers, kept from the actions alone; `bank` is what it took in less what it paid out."""

    def __init__(self, players: int) -> None:
        self.talers = [3] * players
        self.bank = -3 * players
        self.turns = 0

    def note(self, before: Json, text: str, after: Json) -> None:
        """The payments of one action."""
        seat = before["current"]
        verb = text.split(maxsplit=1)[0]
        if verb in ("sail", "replenish"):
            self.pay(seat, None)
        elif verb == "buy":
            booths = before["booths"].get(before["ship"], [0])
            leaders = [owner for owner, number in enumerate(booths) if number == max(booths)]
            self.pay(seat, leaders[0] if any(booths) and len(leaders) == 1 else None)
        elif verb == "end":  # taxes
            while self.talers[seat] > 3:
                self.pay(seat, None)
        begun = 0 if after["phase"] == "place" else after["turn"] + (after["phase"] != "over")
        if begun > self.turns:  # income
            assert begun == self.turns + 1
            self.turns = begun
            self.talers[after["current"]] += 3
            self.bank -= 3

    def pay(self, payer: int, receiver: int | None) -> None:
        self.talers[payer] -= 1
        if receiver is None:
            self.bank += 1
        else:
            self.talers[receiver] += 1

    def check(self, state: Json) -> None:
        assert [player["talers"] for player in state["players"]] == self.talers
        assert min(self.talers) >= 0
        assert sum(self.talers) + self.bank == 0
