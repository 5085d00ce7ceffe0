"""Finding places for labels: each label picks one of its candidates so that as little as possible is covered."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[float, float]


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    top: float
    right: float
    bottom: float


class Candidate(NamedTuple):
    """One way to place a label: its own cost (dislike) and the boxes it would take."""

    cost: float
    boxes: tuple[Box, ...]


class Obstacle(NamedTuple):
    """Something that should stay visible, with the cost of each unit of area covered."""

    weight: float
    box: Box


def box_at(x: float, y: float, width: float, height: float) -> Box:
    """The box of that size around a centre."""
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def overlap(first: Box, second: Box) -> float:
    """The area two boxes share."""
    width = min(first.right, second.right) - max(first.left, second.left)
    if width <= 0:
        return 0.0
    height = min(first.bottom, second.bottom) - max(first.top, second.top)
    return width * height if height > 0 else 0.0


def outside(box: Box, frame: Box) -> float:
    """The area of a box that lies outside the frame."""
    return (box.right - box.left) * (box.bottom - box.top) - overlap(box, frame)


def hull(boxes: Iterable[Box]) -> Box:
    """The smallest box around some boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


def samples(line: Sequence[Point], spacing: float) -> list[Point]:
    """Points along a line."""
    points = []
    for (x0, y0), (x1, y1) in pairwise(line):
        count = max(1, round(math.hypot(x1 - x0, y1 - y0) / spacing))
        points += [(x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count) for i in range(count)]
    return points


def around(x: float, y: float, size: tuple[float, float], step: float, rings: int) -> list[tuple[Candidate, Point]]:
    """Places around a point, nearest first."""
    places = []
    for row in range(-rings, rings + 1):
        for column in range(-rings, rings + 1):
            point = (x + column * step, y + row * step)
            cost = math.hypot(column, row) * step * 0.5
            places.append((Candidate(cost, (box_at(*point, *size),)), point))
    return places


def choose_places(
    labels: Sequence[Sequence[Candidate]],
    obstacles: Sequence[Obstacle],
    frame: Box,
    *,
    label_weight: float = 10.0,
    rounds: int = 6,
) -> list[int]:
    """The index of the chosen candidate for each label.

    Labels choose in turn, the important ones first, each knowing where those before it are; then again, until nobody
    wants to change (or `rounds` are over). Deterministic: ties go to the earlier candidate.
    """
    reaches = [hull(box for candidate in candidates for box in candidate.boxes) for candidates in labels]
    neighbours = [
        [n for n, other in enumerate(reaches) if n != m and overlap(reach, other)] for m, reach in enumerate(reaches)
    ]
    fixed_costs = []
    for candidates, reach in zip(labels, reaches, strict=True):
        near = [obstacle for obstacle in obstacles if overlap(reach, obstacle.box)]
        fixed_costs.append(
            [
                candidate.cost
                + sum(o.weight * overlap(box, o.box) for box in candidate.boxes for o in near)
                + sum(label_weight * outside(box, frame) for box in candidate.boxes)
                for candidate in candidates
            ]
        )
    chosen = [-1] * len(labels)
    for _ in range(rounds):
        before = list(chosen)
        for label, candidates in enumerate(labels):
            placed = [labels[other][chosen[other]] for other in neighbours[label] if chosen[other] >= 0]
            others = [box for candidate in placed for box in candidate.boxes]
            costs = [
                fixed + label_weight * sum(overlap(box, other) for box in candidate.boxes for other in others)
                for fixed, candidate in zip(fixed_costs[label], candidates, strict=True)
            ]
            chosen[label] = costs.index(min(costs))
        if chosen == before:
            break
    return chosen
