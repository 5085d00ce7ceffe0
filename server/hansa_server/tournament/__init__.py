"""Tournaments: who meets whom, what came of it, and what that says about the bots."""
