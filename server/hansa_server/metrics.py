"""Numbers for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

BUCKETS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class Metrics:
    """All metrics of one server, in a registry of its own."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self.registry = registry
        self.bots = Gauge("hansa_bots_connected", "Bots that are connected.", registry=registry)
        self.running = Gauge("hansa_matches_running", "Matches that run.", registry=registry)
        self.matches = Counter(
            "hansa_matches_ended", "Matches that ended, by first reason.", ["reason"], registry=registry
        )
        self.decisions = Counter("hansa_decisions", "Actions played.", registry=registry)
        self.forfeits = Counter("hansa_forfeits", "Seats given up, by reason.", ["reason"], registry=registry)
        self.think = Histogram("hansa_think_seconds", "Time charged to bots.", buckets=BUCKETS, registry=registry)
        self.overhead = Histogram(
            "hansa_overhead_seconds",
            "From an answer's arrival to the next decision request's departure.",
            buckets=BUCKETS,
            registry=registry,
        )
        self.calls = Counter("hansa_calls", "Calls, by method and status.", ["method", "status"], registry=registry)
