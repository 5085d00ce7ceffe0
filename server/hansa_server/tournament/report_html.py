"""The report as one page that opens from disk: no script, and nothing from outside."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from hansa_server.tournament import charts, report_text
from hansa_server.tournament.report_text import NONE, WIDEST, Sheet, chance, percent, printable

Plain = dict[str, Any]

_SHADES = 10  # each way from the middle

_STYLE = f"""
:root{{color-scheme:light dark;{charts.LIGHT}--good:0 104 165;--bad:194 78 0;--warn:#fff4dc}}
@media(prefers-color-scheme:dark){{:root{{{charts.DARK}--good:92 182 240;--bad:255 149 82;--warn:#3a2f14}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}}
main{{max-width:62rem;margin:0 auto;padding:1rem 1rem 4rem}}
h1{{font-size:1.9rem;line-height:1.2;margin:.6rem 0}}h2{{font-size:1.35rem;margin:2.6rem 0 .4rem;padding-top:.8rem;
border-top:2px solid var(--line);overflow-wrap:anywhere}}h3{{font-size:1.08rem;margin:2rem 0 .2rem}}
p{{margin:.4rem 0 .8rem;max-width:46rem}}.meaning{{color:var(--soft);font-size:.92rem}}
.remark{{background:var(--warn);padding:.5rem .8rem;border-left:4px solid var(--c4);border-radius:2px}}
nav ul{{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.6rem 0}}
a{{color:var(--c0)}}a:focus-visible{{outline:3px solid var(--c1);outline-offset:2px}}
.scroll{{position:relative;overflow-x:auto;margin:.4rem 0 1rem}}.scroll:focus-visible{{outline:3px solid var(--c1)}}
table{{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}}
caption{{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}}
th,td{{padding:.3rem .7rem .3rem 0;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}}
th{{font-weight:600}}thead th{{color:var(--soft);font-size:.82rem;vertical-align:bottom;white-space:normal}}
.num{{text-align:right;padding-left:.5rem}}tbody th{{font-weight:500}}
.facts td{{white-space:normal;overflow-wrap:anywhere}}
.grid td{{text-align:center;padding:.3rem .35rem;min-width:3.4rem;border:1px solid var(--ground);line-height:1.15}}
.grid thead th{{text-align:center;padding:.2rem}}.grid small{{display:block;color:var(--ink);font-size:.72rem}}
.grid tbody th{{position:sticky;left:0;background:var(--ground);padding-right:.8rem;max-width:11rem;overflow:hidden;
text-overflow:ellipsis}}.grid .self{{background:var(--line)}}
footer{{margin-top:3rem;color:var(--soft);font-size:.85rem}}
@media(max-width:40rem){{main{{padding:.6rem .7rem 3rem}}h1{{font-size:1.5rem}}table{{font-size:.82rem}}
th,td{{padding:.25rem .45rem .25rem 0}}.grid tbody th{{max-width:6rem}}}}
@media print{{main{{max-width:none}}.scroll{{overflow:visible}}}}
{charts.SHAPES}
"""
_STYLE += "".join(
    f".{name}{k}{{background:rgb(var(--{colour})/{0.5 * k / _SHADES:.2f})}}"
    for name, colour in (("a", "good"), ("b", "bad"))
    for k in range(1, _SHADES + 1)
)


def html(numbers: Plain) -> str:
    """The page."""
    name = _text(numbers["event"]["name"])
    rows = [
        _head(name),
        f"<h1>{name}</h1>",
        _navigation(numbers),
        _table(report_text.facts(numbers), heading=False, kind="facts"),
    ]
    if numbers["overall"]["standings"]:
        sheet = report_text.overall(numbers)
        rows += ['<h2 id="overall">Over all pools</h2>', _meaning(sheet)]
        rows += [charts.standings("overall-chart", numbers["overall"]["standings"]), _table(sheet)]
    elif len(numbers["pools"]) > 1:
        rows += ['<h2 id="overall">Over all pools</h2>']
        rows += [f"<p>There is no rating over all pools: {_text(numbers['overall']['reason'])}.</p>"]
    if numbers["outcome"]:
        rows += ['<h2 id="outcome">Outcome of the format</h2>']
        for sheet in report_text.outcome(numbers):
            rows += [f"<h3>{_text(part)}</h3>"] if (part := sheet.title.partition(": ")[2]) else []
            rows += [_table(sheet)]
    for number, pool in enumerate(numbers["pools"]):
        rows += _pool(f"pool-{number}", pool)
    rows += ['<h2 id="line-up">Line-up</h2>', _table(report_text.line_up(numbers))]
    sheet = report_text.seed(numbers)
    rows += ['<h2 id="verify">How to verify</h2>', _meaning(sheet), _table(sheet, kind="facts")]
    rows += [
        f"<footer>Made by hansa_server {_text(numbers['event']['engine'])}. All numbers are in report.json.</footer>"
    ]
    rows += ["</main>", "</body>", "</html>", ""]
    return "\n".join(rows)


def _head(name: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'"  # nothing is loaded, whatever a name contains
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}: results</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>"
    )


def _navigation(numbers: Plain) -> str:
    links = [("overall", "Over all pools")] if len(numbers["pools"]) > 1 else []
    links += [("outcome", "Outcome")] if numbers["outcome"] else []
    links += [(f"pool-{number}", pool["pool"]) for number, pool in enumerate(numbers["pools"])]
    links += [("line-up", "Line-up"), ("verify", "How to verify")]
    items = "".join(f'<li><a href="#{target}">{_text(name)}</a></li>' for target, name in links)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _pool(key: str, pool: Plain) -> list[str]:
    rows = [f'<h2 id="{key}">{_text(pool["pool"])}</h2>']
    rows += [f"<p>{_text(report_text.about(pool))}</p>"]
    rows += [f'<p class="remark">{_text(remark)}</p>' for remark in pool["remarks"]]
    for sheet, above in _sections(key, pool):
        if sheet.rows:
            rows += [f"<h3>{_text(sheet.title)}</h3>", _meaning(sheet), *above(sheet)]
    return rows


def _sections(key: str, pool: Plain) -> list[tuple[Sheet, Callable[[Sheet], list[str]]]]:
    """Tables, each with how it is drawn."""

    def with_whiskers(sheet: Sheet) -> list[str]:
        drawn = []
        for group, members in enumerate(pool["components"]):
            lines = [line for line in pool["standings"] if line["bot"] in members]
            drawn += [f"<h4>Group {group + 1}</h4>"] if len(pool["components"]) > 1 else []
            drawn.append(charts.standings(f"{key}-standings-{group}", lines))
        return [*drawn, _table(sheet)]

    def with_curves(sheet: Sheet) -> list[str]:
        return [charts.curves(f"{key}-curves", pool["ladder"]), _table(sheet)]

    def with_effects(sheet: Sheet) -> list[str]:
        lines = [line for line in pool["seats"]["seats"] if line["elo"] is not None]
        return [*([charts.seats(f"{key}-seats", lines)] if lines else []), _table(sheet)]

    def alone(sheet: Sheet) -> list[str]:
        return [_table(sheet)]

    return [
        (report_text.standings(pool), with_whiskers),
        (report_text.crosstable(pool), lambda sheet: [_crosstable(sheet, pool)]),
        (report_text.superiority(pool), lambda sheet: [_superiority(sheet, pool)]),
        (report_text.ladder(pool), with_curves),
        (report_text.totals(pool), alone),
        (report_text.seats(pool), with_effects),
        (report_text.checks(pool), alone),
        (report_text.forfeits(pool), alone),
        (report_text.certificate(pool), alone),
        (report_text.neighbours(pool), alone),
    ]


def _meaning(sheet: Sheet) -> str:
    return f'<p class="meaning">{_text(sheet.meaning)}</p>' if sheet.meaning else ""


def _table(sheet: Sheet, *, heading: bool = True, kind: str = "") -> str:
    right = [column.startswith(">") for column in sheet.columns]
    named = sheet.columns.index("bot") if "bot" in sheet.columns else 0
    heads = "".join(
        f'<th scope="col"{_num(num)}>{_heading(column.removeprefix(">"))}</th>'
        for column, num in zip(sheet.columns, right, strict=True)
    )
    body = []
    for row in sheet.rows:
        cells = [
            f'<th scope="row"{_num(num)}>{_text(cell)}</th>' if k == named else f"<td{_num(num)}>{_text(cell)}</td>"
            for k, (cell, num) in enumerate(zip(row, right, strict=True))
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    head = f"<thead><tr>{heads}</tr></thead>" if heading else ""
    return _scrolled(sheet.title, f"{head}<tbody>{''.join(body)}</tbody>", kind)


def _crosstable(sheet: Sheet, pool: Plain) -> str:
    """The share of points in shades: blue where the row is ahead, orange where it is behind."""
    ahead, tied = pool["crosstable"]["ahead"], pool["crosstable"]["tied"]

    def cell(i: int, j: int) -> tuple[float | None, str, str]:
        met = ahead[i][j] + tied[i][j] + ahead[j][i]
        if not met:
            return None, NONE, ""
        share = (ahead[i][j] + tied[i][j] / 2) / met
        return share, percent(share), f"{ahead[i][j]}-{tied[i][j]}-{ahead[j][i]}"

    return _shaded(sheet.title, pool["bots"][:WIDEST], cell)


def _superiority(sheet: Sheet, pool: Plain) -> str:
    def cell(i: int, j: int) -> tuple[float | None, str, str]:
        found = pool["superiority"][i][j]
        return found, chance(found), ""

    return _shaded(sheet.title, pool["bots"][:WIDEST], cell)


def _shaded(title: str, bots: list[str], cell: Callable[[int, int], tuple[float | None, str, str]]) -> str:
    """A grid of bots by bots; a cell has a share that shades it, a text and a smaller text."""
    heads = "".join(f'<th scope="col" title="{_text(bot)}">{k}</th>' for k, bot in enumerate(bots, 1))
    body = []
    for i, bot in enumerate(bots):
        cells = [f'<th scope="row" title="{_text(bot)}">{i + 1} {_text(bot)}</th>']
        for j, other in enumerate(bots):
            if i == j:
                cells.append('<td class="self"></td>')
                continue
            share, told, small = cell(i, j)
            shade = 0 if share is None else round(2 * _SHADES * (share - 0.5))
            kind = f' class="{"a" if shade > 0 else "b"}{abs(shade)}"' if shade else ""
            below = f"<small>{_text(small)}</small>" if small else ""
            cells.append(f'<td{kind} title="{_text(bot)} and {_text(other)}">{_text(told)}{below}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    inside = f'<thead><tr><th scope="col">bot</th>{heads}</tr></thead><tbody>{"".join(body)}</tbody>'
    return _scrolled(title, inside, "grid")


def _scrolled(title: str, inside: str, kind: str = "") -> str:
    """A table that scrolls by itself where the page is narrow, by keyboard as well."""
    style = f' class="{kind}"' if kind else ""
    label = _text(title)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table{style}><caption>{label}</caption>{inside}</table></div>"
    )


def _heading(column: str) -> str:
    """The name of a column; that of a pool may be broken."""
    return _text(column).replace("± 95 %", "±&nbsp;95&nbsp;%").replace(":", ":<wbr>")


def _num(is_number: bool) -> str:
    return ' class="num"' if is_number else ""


def _text(text: object) -> str:
    return escape(printable(text))
