"""The command line. Nothing else in the package imports it, nor what it needs (typer and rich)."""

from hansa_fast.cli.app import main

__all__ = ["main"]
