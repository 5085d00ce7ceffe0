"""A particle that drifts between two walls: how sequential tests behave, seen from afar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from hansa_server.ratings.luce import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_STEEPEST = 300.0  # drift, against the spread, over the whole width, beyond which the other wall is never met


@dataclass(frozen=True)
class Brownian:
    """It starts at 0 between `low` and `high`, moves by `drift` per unit of time with variance `variance`."""

    low: float
    high: float
    drift: float
    variance: float

    @property
    def _tilt(self) -> float:
        limit = _STEEPEST / (self.high - self.low)
        return max(-limit, min(limit, self.drift / self.variance))

    def chance_low(self, at: float | Floats = 0.0) -> Floats:
        """The chance to end at the lower wall, from a place."""
        width, tilt = self.high - self.low, self._tilt
        above = np.asarray(at, np.float64) - self.low
        if abs(tilt) * width < 1e-9:
            return 1 - above / width
        rate = 2 * abs(tilt)
        if tilt > 0:
            found: Floats = (np.exp(-rate * above) - math.exp(-rate * width)) / -math.expm1(-rate * width)
        else:
            found = -np.expm1(-rate * (width - above)) / -math.expm1(-rate * width)
        return found

    def mean_time(self) -> float:
        """How long it takes to a wall, on average."""
        if abs(self._tilt) * (self.high - self.low) < 1e-4:
            return -self.low * self.high / self.variance
        low = float(self.chance_low())
        return (low * self.low + (1 - low) * self.high) / self.drift

    def underway(self, time: float, below: float | None = None) -> float:
        """The chance that no wall was met until `time` (and that the particle is below a place)."""
        place = self.high if below is None else min(max(below, self.low), self.high)
        if self._is_steep:
            if self.drift > 0:
                return self._short_of(time, place)
            return self._short_of(time, -self.low) - self._short_of(time, -place)
        places, weights = self._quadrature(time, place)
        return float(weights @ self._density(time, places))

    def outcome(self, time: float, place: float) -> float:
        """The chance of an outcome that speaks no more for an upward drift than to be at `place` at `time`.

        The order of outcomes: early at the lower wall, late there, still between (by place), late at the upper wall,
        early there. It falls with the drift, which is what estimates after stopping are made from.
        """
        place = min(max(place, self.low), self.high)
        if self._is_steep:
            return self._short_of(time, place) if self.drift > 0 else 1 - self._short_of(time, -place)
        everywhere, weights = self._quadrature(time, self.high)
        later_low = weights @ (self._density(time, everywhere) * self.chance_low(everywhere))
        chance = float(self.chance_low()) - float(later_low) + self.underway(time, place)
        return min(1.0, max(0.0, chance))

    @property
    def _is_steep(self) -> bool:
        return abs(self.drift) * (self.high - self.low) > _STEEPEST * self.variance

    def _short_of(self, time: float, place: float) -> float:
        """The chance to have met no wall and to be short of a place on the way to the wall that the drift leads to."""
        wall = self.high if self.drift > 0 else -self.low
        drift, spread = abs(self.drift), math.sqrt(self.variance * time)
        mirrored = 2 * drift * wall / self.variance + special.log_ndtr((place - 2 * wall - drift * time) / spread)
        return max(0.0, float(special.ndtr((place - drift * time) / spread) - math.exp(min(mirrored, 0.0))))

    def _quadrature(self, time: float, below: float) -> tuple[Floats, Floats]:
        """Places and weights for integrals over where the particle can be."""
        centre, reach = self._tilt * self.variance * time, 9 * math.sqrt(self.variance * time)
        start, end = max(self.low, centre - reach), min(below, centre + reach)
        if start >= end:  # it is not there
            return np.zeros(1), np.zeros(1)
        half = (end - start) / 2
        return start + half * (_NODES + 1), half * _WEIGHTS

    def _density(self, time: float, places: Floats) -> Floats:
        """Of the particle that has met no wall: by mirror images while it is young, by waves when it is old."""
        width, tilt = self.high - self.low, self._tilt
        start, above = -self.low, places - self.low
        drift = tilt * self.variance
        spread = self.variance * time
        shift = tilt * (above - start) - drift * tilt * time / 2
        total = np.zeros_like(above)
        if spread < 0.5 * width**2:
            for image in range(-4, 5):
                near = above - start - 2 * image * width
                far = above + start - 2 * image * width
                total += np.exp(shift - near**2 / (2 * spread)) - np.exp(shift - far**2 / (2 * spread))
            return np.asarray(np.maximum(total, 0) / math.sqrt(2 * math.pi * spread))
        for wave in range(1, 20):
            k = wave * math.pi / width
            total += math.sin(k * start) * np.sin(k * above) * np.exp(shift - k**2 * spread / 2)
        return np.asarray(np.maximum(total * 2 / width, 0))
