"""`hansa bench`: how fast the core is here, and the signature of its behaviour."""

from __future__ import annotations

from typing import Annotated

import typer

from hansa_fast.cli import output
from hansa_fast.cli.errors import CliError
from hansa_fast.cli.options import ColourOption, JsonOption

EPILOG = "Example: hansa bench --quick"


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, rougher figures.")] = False,
    signature: Annotated[
        bool, typer.Option("--signature", help="Only the number that changes when behaviour does.")
    ] = False,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Measure the core on this machine."""
    if signature:
        if quick:
            raise CliError("--signature measures nothing, so --quick means nothing with it")
        from hansa_fast import _signature  # here and below: no other command pays for loading these

        value = _signature.signature()
        if json:
            output.write_json({"signature": value})
        else:
            output.write(str(value))
        return
    from hansa_fast import _measure

    with output.progress("measuring", 1) as advance:
        rows = _measure.run(progress=lambda label, done, total: advance(done, label, total), quick=quick)
    if json:
        output.write_json([{"name": row.name, "value": row.value, "unit": row.unit, "note": row.note} for row in rows])
        return
    cells = [[row.name, output.figure(row.value), row.unit, row.note] for row in rows]
    output.write(output.table(["what", ">value", "unit", "note"], cells, colour=output.want_colour(colour)))
