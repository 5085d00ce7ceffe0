"""Tables of a report as columns and rows: the terminal prints them, Markdown and the page dress them up.

A column whose name begins with `>` has its values on the right. Names come from outside: what cannot be printed is
replaced, so that none of them moves the cursor or turns the text about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Plain = dict[str, Any]

WIDEST = 40  # bots in a crosstable; all are in the numbers
NONE = "–"
FIRST = ("round", "table", "place", "bot")  # columns of an outcome that come before the others


@dataclass(frozen=True)
class Sheet:
    """A table with its title and what it means."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    meaning: str = ""


# --- Values ---


def printable(text: object) -> str:
    """Text from outside, on one line and without controls."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in str(text))


def rating(value: float | None) -> str:
    """
    >>> rating(1502.51)
    '1503'
    """
    return NONE if value is None else f"{value:.0f}"


def plus_minus(error: float | None) -> str:
    """Half an interval. That of the anchor alone is none; one that is not known is unbounded."""
    return "± ∞" if error is None else f"± {error:.0f}"


def signed(value: float | None) -> str:
    """With a sign, and zero without one."""
    if value is None:
        return NONE
    return f"{value:+.0f}" if round(value) else "0"


def decimal(value: float | None, digits: int = 1) -> str:
    """With so many digits after the point."""
    return NONE if value is None else f"{value:.{digits}f}"


def percent(share: float | None, digits: int = 0) -> str:
    """What was counted."""
    return NONE if share is None else f"{100 * share:.{digits}f} %"


def chance(value: float | None) -> str:
    """What is estimated: never sure.

    >>> chance(1.0), chance(0.123)
    ('> 99 %', '12 %')
    """
    if value is None:
        return NONE
    return "< 1 %" if value < 0.005 else "> 99 %" if value > 0.995 else percent(value)


def chance_of(test: Plain) -> str:
    """The chance of a test, in words."""
    found = test["chance"]
    return "under 0.001" if found < 0.001 else f"{found:.3f}"


def span(places: Sequence[int]) -> str:
    """A range of places."""
    low, high = places
    return str(low) if low == high else f"{low}–{high}"


def bot_name(line: Plain) -> str:
    """A bot, with the version of the built-in one that plays for it.

    >>> bot_name({"bot": "anna", "version": None}), bot_name({"bot": "house", "version": "1"})
    ('anna', 'house v1')
    """
    version = line.get("version")
    return printable(line["bot"]) if version is None else f"{printable(line['bot'])} v{printable(version)}"


def marks(line: Plain) -> str:
    """What has to be known about a line."""
    found = []
    if line.get("provisional"):
        found.append("provisional")
    if line.get("withdrawn"):
        found.append("withdrawn")
    return ", ".join(found)


# --- The event ---


def facts(numbers: Plain) -> Sheet:
    """The event in a few lines."""
    event, blocks = numbers["event"], numbers["event"]["blocks"]
    anchor = f"{printable(event['anchor'])} is {event['level']:.0f}" if event["anchor"] else ""
    level = anchor or f"the mean of a pool is {event['level']:.0f}"
    open_blocks = blocks["running"] + blocks["made"]
    rows = [
        ("format", " ".join([printable(event["format"]), *_settings(event["settings"])])),
        ("state", printable(event["state"])),
        ("engine", printable(event["engine"])),
        ("bots", str(len({place["bot"] for place in numbers["bots"]}))),
        ("games", f"{event['games']:,} in {blocks['finished']:,} blocks"),
        ("blocks to come", str(open_blocks) if open_blocks else "none"),
        ("blocks void, dropped", f"{blocks['void']} (played anew), {blocks['dropped']}"),
        ("level", level),
        ("phantom", f"{event['phantom']:g} wins and {event['phantom']:g} losses for every bot, seat and tie"),
        ("intervals", percent(event["confidence"])),
    ]
    return Sheet("The event", ("what", "value"), tuple(rows))


def _settings(settings: Plain) -> list[str]:
    shown = [f"{printable(key)} {printable(value)}" for key, value in settings.items()]
    return [f"({', '.join(shown)})"] if shown else []


def seed(numbers: Plain) -> Sheet:
    """What has to be checked by whoever trusts nobody."""
    found = numbers["seed"]
    rows = (
        ("commitment, published before play", printable(found["commitment"])),
        ("secret seed, revealed after play", printable(found["secret"] or "not yet revealed")),
        ("chain head, of the last finished block", printable(found["chain"] or NONE)),
    )
    return Sheet("How to verify", ("what", "value"), rows, VERIFY)


def line_up(numbers: Plain) -> Sheet:
    """Who took part, and from when to when."""
    rows = tuple(
        (
            printable(place["bot"]),
            printable(place["plays_by"]),
            NONE if place["version"] is None else printable(place["version"]),
            str(place["entered"]),
            NONE if place["withdrawn"] is None else str(place["withdrawn"]),
        )
        for place in numbers["bots"]
    )
    columns = ("bot", "plays by", ">version", ">entered at block", ">withdrawn at block")
    return Sheet("Line-up", columns, rows)


def outcome(numbers: Plain) -> list[Sheet]:
    """What the format itself says: a table for each list, and one for what is left."""
    sheets, rest = [], []
    for key, value in numbers["outcome"].items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            rows = [flat for item in value for flat in _flat(item)]
            keys = sorted(
                dict.fromkeys(key for row in rows for key in row),
                key=lambda key: FIRST.index(key) if key in FIRST else len(FIRST),
            )
            numeric = [all(type(row.get(key, 0)) in (int, float) for row in rows) for key in keys]
            columns = tuple(f">{_words(k)}" if number else _words(k) for k, number in zip(keys, numeric, strict=True))
            cells = tuple(tuple(_value(row.get(key)) for key in keys) for row in rows)
            sheets.append(Sheet(f"Outcome of the format: {_words(key)}", columns, cells))
        else:
            rest.append((_words(key), _value(value)))
    return [*sheets, Sheet("Outcome of the format", ("what", "value"), tuple(rest))] if rest else sheets


def _flat(row: Plain) -> list[Plain]:
    """A row that holds rows, such as a round of a knockout with its tables, as those rows."""
    for key, value in row.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            rest = {name: item for name, item in row.items() if name != key}
            return [flat for item in value for flat in _flat({**rest, **item})]
    return [row]


def _value(value: Any) -> str:
    if value in (None, "", []):
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{printable(key)} {_value(item)}" for key, item in value.items())
    return ", ".join(_value(item) for item in value) if isinstance(value, list) else printable(value)


def _words(key: str) -> str:
    return printable(key).replace("_", " ")


def overall(numbers: Plain) -> Sheet:
    """Ratings over all pools, beside those of each."""
    found = numbers["overall"]
    pools = [pool for pool in numbers["pools"] if pool["pool"] in found["pools"]]
    each = [{line["bot"]: line for line in pool["standings"]} for pool in pools]
    rows = []
    for line in found["standings"]:
        by_pool = [rating(lines[line["bot"]]["rating"]) if line["bot"] in lines else NONE for lines in each]
        rows.append((*_standing(line), *by_pool, marks(line)))
    columns = (*STANDING, *(f">{printable(pool['pool'])}" for pool in pools), "")
    spread = decimal(found["spread"], 0)
    return Sheet("Over all pools", columns, tuple(rows), OVERALL.format(spread=spread))


# --- A pool ---


def about(pool: Plain) -> str:
    """The pool in a few words."""
    rules, blocks = pool["rules"], pool["blocks"]
    modules = [name for name in ("missions", "favours") if rules[name]]
    limit = [f"{rules['turn_limit']} turns at most"] if rules["turn_limit"] else []
    played = ", ".join([f"{rules['game']} {rules['edition']}", rules["board"], *modules, *limit])
    text = f"{played}, {rules['players']} players: {pool['games']:,} games in {blocks['finished']:,} blocks."
    if blocks["void"] or blocks["dropped"]:
        text += f" {blocks['void']} blocks were spoilt and played anew, {blocks['dropped']} dropped."
    if pool["ties"]:
        ties = ", ".join(f"{value:.2g} for {order}" for order, value in pool["ties"].items())
        text += f" Tie parameters δ, by how many share a place: {ties}."
    return text


STANDING = (">place", "bot", ">rating", ">± 95 %", ">places", ">first", ">games", ">blocks")


def _standing(line: Plain) -> tuple[str, ...]:
    return (
        str(line["place"]),
        bot_name(line),
        rating(line["rating"]),
        plus_minus(line["error"]),
        span(line["places"]),
        chance(line["first"]),
        str(line["games"]),
        str(line["blocks"]),
    )


def standings(pool: Plain) -> Sheet:
    """The published table. Ratings without forfeits stand beside those as played if there were any."""
    with_clean, apart = bool(pool["forfeits"]["games"]), len(pool["components"]) > 1
    rows = []
    for line in pool["standings"]:
        row = list(_standing(line))
        if with_clean:
            clean = line["clean"]
            row.append(f"{rating(clean['rating'])} {plus_minus(clean['error'])}" if clean else NONE)
        if apart:
            row.append(str(line["component"] + 1))
        rows.append((*row, marks(line)))
    extra = [">clean"] * with_clean + [">group"] * apart
    return Sheet("Standings", (*STANDING, *extra, ""), tuple(rows), RATING)


def ladder(pool: Plain) -> Sheet:
    """Ladder Elo."""
    rows = tuple(
        (printable(rung["bot"]), rating(rung["rating"]), str(rung["games"]), marks(rung))
        for rung in pool["ladder"]["rungs"]
    )
    return Sheet("Ladder Elo", ("bot", ">Elo", ">games", ""), rows, LADDER)


def totals(pool: Plain) -> Sheet:
    """What was counted."""
    players = pool["rules"]["players"]
    rows = []
    for line in pool["totals"]:
        expected = line["expected_places"] or [None] * players
        places = [
            f"{count}" if hoped is None else f"{count} ({hoped:.0f})"
            for count, hoped in zip(line["places"], expected, strict=True)
        ]
        rows.append(
            (
                printable(line["bot"]),
                str(line["games"]),
                decimal(line["firsts"]),
                decimal(line["score"], 3),
                decimal(line["points"]),
                decimal(line["margin"]),
                *places,
            )
        )
    columns = ("bot", ">games", ">firsts", ">score", ">points", ">margin", *(f">{k}." for k in range(1, players + 1)))
    return Sheet("Totals", columns, tuple(rows), TOTALS)


def crosstable(pool: Plain, most: int = WIDEST) -> Sheet:
    """Ahead, tied and behind for each pair, in the order of the standings."""
    ahead, tied = pool["crosstable"]["ahead"], pool["crosstable"]["tied"]
    bots = pool["bots"][:most]
    rows = []
    for i, bot in enumerate(bots):
        cells = [f"{ahead[i][j]}-{tied[i][j]}-{ahead[j][i]}" if i != j else "" for j in range(len(bots))]
        score = sum(ahead[i]) + sum(tied[i]) / 2
        met = sum(ahead[i]) + sum(tied[i]) + sum(row[i] for row in ahead)
        share = percent(score / met, 1) if met else NONE
        rows.append((str(i + 1), printable(bot), *(NONE if cell == "0-0-0" else cell for cell in cells), share))
    columns = (">", "bot", *(f">{k + 1}" for k in range(len(bots))), ">all")
    return Sheet(_part("Crosstable", pool, most), columns, tuple(rows), CROSSTABLE)


def superiority(pool: Plain, most: int = WIDEST) -> Sheet:
    """The chance that the bot of the row is stronger than that of the column."""
    bots = [line["bot"] for line in pool["standings"]][:most]
    rows = []
    for i, bot in enumerate(bots):
        cells = [chance(pool["superiority"][i][j]) if i != j else "" for j in range(len(bots))]
        rows.append((str(i + 1), printable(bot), *cells))
    columns = (">", "bot", *(f">{k + 1}" for k in range(len(bots))))
    return Sheet(_part("Likelihood of superiority", pool, most), columns, tuple(rows), SUPERIORITY)


def _part(title: str, pool: Plain, most: int) -> str:
    every = len(pool["bots"])
    return title if every <= most else f"{title} (the first {most} of {every} bots)"


def seats(pool: Plain) -> Sheet:
    """What each seat is worth."""
    rows = tuple(
        (
            str(line["seat"]),
            signed(line["elo"]),
            NONE if line["elo"] is None else plus_minus(line["error"]),
            str(line["games"]),
            decimal(line["firsts"]),
            decimal(line["score"], 3),
            decimal(line["points"]),
        )
        for line in pool["seats"]["seats"]
    )
    test = pool["seats"]["test"]
    verdict = ""
    if test:
        verdict = (
            f" If all seats were worth the same, differences as large as these would come with a chance of "
            f"{chance_of(test)}."
        )
    columns = (">seat", ">Elo", ">± 95 %", ">games", ">firsts", ">score", ">points")
    return Sheet("Seats", columns, rows, SEATS + verdict)


def forfeits(pool: Plain) -> Sheet:
    """Who gave up a seat, and why."""
    rows = tuple((printable(line["bot"]), printable(line["reason"]), str(line["count"])) for line in _of(pool))
    share = percent(pool["forfeits"]["share"], 1)
    summary = f"{pool['forfeits']['games']} of {pool['games']} games ({share}) had a forfeit. " if rows else ""
    return Sheet("Forfeits", ("bot", "reason", ">seats given up"), rows, summary + FORFEITS)


def _of(pool: Plain) -> list[Plain]:
    found: list[Plain] = pool["forfeits"]["by_bot"]
    return found


def checks(pool: Plain) -> Sheet:
    """Results that the ratings do not explain."""
    rows = []
    found = pool["surprises"]
    if found:
        for line in found["largest"][:5]:
            who = f"{printable(line['bot'])} against {printable(line['other'])}"
            rows.append(
                (who, str(line["met"]), decimal(line["score"]), decimal(line["expected"]), f"{line['sigmas']:.1f}")
            )
    verdict = ""
    if found:
        verdict = f" Among {found['pairs']} pairs, a largest one of this size has a chance of {chance_of(found)}."
    count = pool["cycles"]["count"]
    if count:
        bots = pool["cycles"]["strongest"][0]["bots"]
        named = " > ".join(printable(bot) for bot in [*bots, bots[0]])
        verdict += f" Circles in which each of three bots beats the next: {count}, the clearest {named}."
    return Sheet("Checks", ("pair", ">met", ">score", ">expected", ">σ"), tuple(rows), CHECKS + verdict)


def certificate(pool: Plain) -> Sheet:
    """Who sat where."""
    found = pool["certificate"]
    seats = dict(zip(found["bots"], found["seats"], strict=True))
    rows = tuple((printable(bot), *(str(count) for count in seats[bot])) for bot in pool["bots"])
    columns = ("bot", *(f">seat {seat}" for seat in range(pool["rules"]["players"])))
    verdict = f"The verdict: {printable(found['verdict'])}. " if pool["games"] else ""
    return Sheet("Seat-balance certificate", columns, rows, verdict + CERTIFICATE)


def neighbours(pool: Plain, most: int = WIDEST) -> Sheet:
    """Who played right after whom."""
    found = pool["certificate"]
    at = {bot: k for k, bot in enumerate(found["bots"])}
    bots = pool["bots"][:most]
    rows = []
    for number, bot in enumerate(bots, 1):
        cells = [str(found["neighbours"][at[bot]][at[other]]) if bot != other else "" for other in bots]
        rows.append((str(number), printable(bot), *cells))
    columns = (">", "bot", *(f">{k + 1}" for k in range(len(bots))))
    return Sheet(_part("Neighbours", pool, most), columns, tuple(rows), NEIGHBOURS)


def pool_sheets(pool: Plain, most: int = WIDEST) -> list[Sheet]:
    """All tables of a pool that have something to show."""
    found = [
        standings(pool),
        crosstable(pool, most),
        superiority(pool, most),
        ladder(pool),
        totals(pool),
        seats(pool),
        checks(pool),
        forfeits(pool),
        certificate(pool),
        neighbours(pool, most),
    ]
    return [sheet for sheet in found if sheet.rows]


# --- Where a rating comes from ---


def explained(found: Plain) -> list[Sheet]:
    """The tables of `explain`, pool by pool."""
    sheets = []
    for pool in found["pools"]:
        where = printable(pool["pool"])
        sheets.append(
            Sheet(
                f"{where}: opponents of {bot_name(found)}",
                ("opponent", ">rating", ">met", ">ahead", ">tied", ">behind", ">score", ">expected"),
                tuple(
                    (
                        bot_name(line),
                        rating(line["rating"]),
                        *(str(line[key]) for key in ("met", "ahead", "tied", "behind")),
                        decimal(line["score"]),
                        decimal(line["expected"]),
                    )
                    for line in pool["opponents"]
                ),
                "Score counts a tie as half; expected is what the ratings of both and their seats would give.",
            )
        )
        sheets.append(
            Sheet(
                f"{where}: seats",
                (">seat", ">games", ">place score", ">expected"),
                tuple(
                    (str(line["seat"]), str(line["games"]), decimal(line["score"]), decimal(line["expected"]))
                    for line in pool["seats"]
                ),
            )
        )
        sheets.append(
            Sheet(
                f"{where}: blocks that moved the rating most",
                (">block", ">Elo", "games"),
                tuple(
                    (
                        str(line["block"]),
                        signed(line["elo"]),
                        ", ".join(printable(g["match_id"]) for g in line["games"]),
                    )
                    for line in pool["moved"]
                ),
                "About how much the rating would change the other way if the block were left out.",
            )
        )
        sheets.append(
            Sheet(
                f"{where}: forfeits",
                ("game", ">seat", "reason"),
                tuple(
                    (printable(line["match_id"]), str(line["seat"]), printable(line["reason"]))
                    for line in pool["forfeits"]
                ),
            )
        )
    return [sheet for sheet in sheets if sheet.rows]


# --- What the numbers mean ---

RATING = (
    "100 points of difference are a chance of 64 % to finish ahead, 400 points odds of ten to one. ± is half of a 95 % "
    "interval, counted by blocks; places and the chance to be first come from all that the results leave open."
)
OVERALL = (
    "All pools seen together, with every bot allowed to be better in one than in another. From pool to pool a bot "
    "differs by about {spread} Elo."
)
CROSSTABLE = (
    "How often the bot of the row finished ahead of, tied with and behind that of the column. It counts every two bots "
    "at every table; shares are not ratings, for opponents and seats differ."
)
SUPERIORITY = (
    "The chance that the bot of the row is truly stronger than that of the column, given all results. 50 % says that "
    "nothing is known, 97.5 % is as sure as the intervals are."
)
LADDER = (
    "The familiar number that moves after every game, replayed in the order of the schedule. It shows the way there; "
    "the rating is what to quote."
)
TOTALS = (
    "Place score is 1 for the first place and 0 for the last, firsts are shared in ties, and the margin is over the "
    "mean of the others. Beside each number of places stands, in brackets, what the ratings would give."
)
SEATS = (
    "What a seat is worth in Elo, against the mean of all seats; ratings already allow for it. The certificate "
    "says whether everybody sat everywhere equally often."
)
CHECKS = (
    "Pairs whose results are furthest from what their ratings say, in standard deviations counted by blocks. Up to 2 "
    "is usual; more, in many pairs, would mean that one number per bot does not tell everything."
)
FORFEITS = (
    "As played, who forfeits is last; clean, it was not at the table, and the others are ranked among themselves. A "
    "large difference between the two says that a rating is about reliability more than about play."
)
VERIFY = (
    "The SHA-256 of “hansa seed ” and the secret seed is the commitment; every deal follows from the secret seed, and "
    "the hash of every block from its records and the hash before it. The command hansa tournament verify checks this "
    "offline, from an export: it replays every game and rebuilds every number of this report."
)
CERTIFICATE = (
    "How often each bot sat in each seat. Ratings are only published if everybody sat everywhere equally often, unless "
    "the organiser asks for them all the same."
)
NEIGHBOURS = (
    "How often the bot of the row played right after that of the column. If both directions are equal, nobody gains by "
    "whom it follows."
)
