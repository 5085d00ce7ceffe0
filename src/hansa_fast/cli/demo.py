"""`hansa demo`: a rated round of local bots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice, zip_longest
from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast.bots import make_bot
from hansa_fast.cli import output, ratings, sources
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import ColourOption, JsonOption, LayoutOption, SeedOption
from hansa_fast.cli.show import parse_layout, scores_with_title

EPILOG = "Example: hansa demo --blocks 34 --seed 7 --out games"

BOTS = ("playouts", "greedy", "wavering", "random")
TURNS_PER_PLAYER = 40  # two random players hardly ever end a game
TABLES = (
    hf.Rules(players=4, board="standard-4-5", turn_limit=4 * TURNS_PER_PLAYER),
    hf.Rules(game="hansa", players=4, turn_limit=4 * TURNS_PER_PLAYER),
    hf.Rules(players=4, board="east", turn_limit=4 * TURNS_PER_PLAYER),
    hf.Rules(players=3, board="britannia-3", turn_limit=3 * TURNS_PER_PLAYER),
    hf.Rules(players=2, edition="2009", board="standard-3", turn_limit=2 * TURNS_PER_PLAYER),
    hf.Rules(players=3, board="standard-3", missions=True, favours=True, turn_limit=3 * TURNS_PER_PLAYER),
)


@dataclass(frozen=True)
class Block:
    """One deal, played as often as it has seats, so that each bot sits in each of them once."""

    rules: hf.Rules
    seed: int
    bots: tuple[str, ...]

    def seatings(self) -> list[tuple[str, ...]]:
        """Who sits where in each game of the block."""
        return [self.bots[shift:] + self.bots[:shift] for shift in range(len(self.bots))]


def demo(
    blocks: Annotated[int, typer.Option(min=1, max=10_000, help="How many deals; each is played once a seat.")] = 17,
    seed: SeedOption = 0,
    out: Annotated[str, typer.Option("--out", "-o", help="Folder for the records.", metavar="FOLDER")] = "demo-games",
    layout: LayoutOption = "auto",
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Play a rated round of local bots at tables of both games; show a board, the results and the ratings."""
    drawn = parse_layout(layout)
    coloured = output.want_colour(colour)
    plan = schedule(blocks, seed)
    _make_folder(out)
    total = sum(len(block.bots) for block in plan)
    games: list[tuple[str, hf.Game]] = []
    with output.progress("playing", total) as advance:
        for block in plan:
            for names in block.seatings():
                advance(len(games), f"{block.rules.board}: {', '.join(names)}")
                game = play_game(block.rules, block.seed, names)
                path = os.path.join(out, f"{len(games) + 1:04}-{block.rules.board}-{block.rules.players}p.hansa")
                output.save_text(path, game.to_text())
                games.append((path, game))
    rows = _rate(plan, [game for _, game in games], seed)
    if json:
        output.write_json({"games": [_game_dict(path, game) for path, game in games], "ratings": rows})
        return
    path, shown = games[0]
    seats = sources.seat_names(shown.tags, shown.rules.players)
    state = shown.state
    width = output.terminal_width()
    output.write(output.paint(f"The end of {path}", "1", coloured))
    output.write(_draw.text(state, colour=coloured, width=width, layout=drawn, names=seats))
    output.write(scores_with_title(state, seats, coloured))
    output.write(_results_table([game for _, game in games], coloured) + "\n")
    output.write(_ratings_table(rows, coloured))
    output.write(
        "Elo counts everybody against everybody else at the table; it starts at 1500 and moves a step a game, so\n"
        "after a short round the real gaps are wider. The error is 95 %, from drawing the deals again. * is\n"
        f"provisional: under {ratings.PROVISIONAL_GAMES} games. Place score: the share of the others left behind.\n"
        f"{len(games)} games are in {out}; `hansa replay {path} --step` shows one."
    )


def one_round() -> list[tuple[hf.Rules, tuple[str, ...]]]:
    """All tables in turn, at each every choice of bots: nobody plays more than another."""
    by_table = [[(rules, bots) for bots in combinations(BOTS, rules.players)] for rules in TABLES]
    return [pairing for row in zip_longest(*by_table) for pairing in row if pairing is not None]


def schedule(count: int, seed: int) -> list[Block]:
    """The first blocks of round after round."""
    pairings = islice(cycle(one_round()), count)
    return [Block(rules, (seed + number) % 2**64, bots) for number, (rules, bots) in enumerate(pairings)]


def play_game(rules: hf.Rules, seed: int, names: Sequence[str]) -> hf.Game:
    """A whole game between these bots. The bots' choices come from the seed, too."""
    game = hf.Game(rules, seed, tags={"Event": "demo", **{f"Seat {seat}": name for seat, name in enumerate(names)}})
    state = game.state
    bots = [make_bot(name) for name in names]
    while not state.is_over:
        action = bots[state.player].choose(state, (seed << 32 | len(game)) % 2**64)
        game.play(action)
        state.apply(action)
    return game


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise CliError(f"{path}: cannot be made: {error.strerror}", code=ExitCode.UNREADABLE) from None


def _result(game: hf.Game) -> ratings.Result:
    names = tuple(game.tags[f"Seat {seat}"] for seat in range(game.rules.players))
    return ratings.Result(names, tuple(game.state.result()["ranks"]))


def _rate(plan: Sequence[Block], games: Sequence[hf.Game], seed: int) -> list[dict[str, Any]]:
    """A row for each bot that played, the best first."""
    results = [_result(game) for game in games]
    blocks, rest = [], iter(results)
    for block in plan:
        blocks.append(list(islice(rest, len(block.bots))))
    elo, error = ratings.ladder(results), ratings.errors(blocks, seed)
    rows = []
    for name in sorted(elo, key=lambda name: -elo[name]):
        mine = [result for result in results if name in result.names]
        spread = error[name]
        rows.append(
            {
                "bot": name,
                "elo": round(elo[name], 1),
                "error": None if spread is None else round(spread, 1),
                "games": len(mine),
                "provisional": len(mine) < ratings.PROVISIONAL_GAMES,
                "firsts": sum(result.ranks[result.names.index(name)] == 1 for result in mine),
                "place_score": round(sum(result.place_score(name) for result in mine) / len(mine), 3),
            }
        )
    return rows


def _game_dict(path: str, game: hf.Game) -> dict[str, Any]:
    result = _result(game)
    totals = [score["total"] for score in game.state.scores()]
    facts = {"file": path, "rules": game.rules.to_dict(), "seed": game.seed, "actions": len(game)}
    return facts | {"bots": list(result.names), "ranks": list(result.ranks), "totals": totals}


def _results_table(games: Sequence[hf.Game], coloured: bool) -> str:
    """Firsts of each bot at each kind of table."""
    rows = []
    for rules in TABLES:
        here = [_result(game) for game in games if game.rules == rules]
        if here:
            firsts = [sum(r.ranks[r.names.index(bot)] == 1 for r in here if bot in r.names) for bot in BOTS]
            played = [sum(bot in r.names for r in here) for bot in BOTS]
            cells = [f"{first} of {count}" if count else "-" for first, count in zip(firsts, played, strict=True)]
            modules = ", missions and favours" if rules.missions else ""
            rows.append([f"{rules.board}, {rules.players} players{modules}", len(here), *cells])
    return output.table(["table", ">games", *(f">{bot}" for bot in BOTS)], rows, colour=coloured, title="First places")


def _ratings_table(rows: Sequence[dict[str, Any]], coloured: bool) -> str:
    cells = [
        [
            row["bot"],
            f"{row['elo']:.0f}{'*' if row['provisional'] else ''}",
            "?" if row["error"] is None else f"± {row['error']:.0f}",
            row["games"],
            row["firsts"],
            f"{row['place_score']:.2f}",
        ]
        for row in rows
    ]
    heads = ["bot", ">Elo", ">error", ">games", ">firsts", ">place score"]
    return output.table(heads, cells, colour=coloured, title="Ratings")
