"""What `hansa bench` prints, and the comparison of two runs: that they work, not how fast."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches import compare
from hansa_fast import _measure


def test_every_figure_is_checked_and_measured() -> None:
    seen: list[tuple[str, int, int]] = []
    rows = _measure.run(progress=lambda *step: seen.append(step), quick=True)
    assert len({row.name for row in rows}) == len(rows)
    assert {row.unit for row in rows} == {"decisions/s", "leaves/s", "bytes", "ns", "ratio"}
    assert all(row.value > 0 for row in rows)
    assert [done for _, done, _ in seen] == list(range(seen[0][2] + 1))
    assert next(row.value for row in rows if row.name == "state") <= 512


def test_a_wrong_answer_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_measure, "API_DECISIONS", {_measure.MAIN: 1})
    with pytest.raises(RuntimeError, match="Python loop, standard-4-5, 4 players: the answer is 27098, not 1"):
        _measure._api_rows(1)


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def report(name: str, seconds: float) -> str:
        benches = [
            {"name": bench, "stats": {"median": seconds * factor}, "extra_info": {"amount": 100, "unit": "decisions"}}
            for bench, factor in (("test_batch_steps[1]", 1), ("test_batch_steps[2]", 0.5))
        ]
        path = tmp_path / name
        path.write_text(json.dumps({"benchmarks": benches}), encoding="utf-8")
        return str(path)

    compare.main(report("new", 0.01), report("old", 0.02))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "test_batch_steps[1] 10,000 decisions/s 2.00 times the old"
    assert lines[-1] == "Batch steps, 2 threads : 1 2.00"
