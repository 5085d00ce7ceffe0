"""The arena: bots in any language play over gRPC. `docs/server.md` tells how it is built."""

__version__ = "0.1.0"
