"""What the tests of tournaments share with those of the server: stores of each kind, and its log."""

from tests.server.conftest import address, cluster, logs

__all__ = ["address", "cluster", "logs"]
