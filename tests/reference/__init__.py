"""Slow, obvious engines that the fast core is checked against."""
