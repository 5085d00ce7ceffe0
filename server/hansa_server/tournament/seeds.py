"""Seeds nobody can choose afterwards: all come from one secret whose hash is published before play."""

from __future__ import annotations

import hashlib
import hmac
import secrets

BITS = 63


def draw() -> str:
    """A new secret, as 64 hexadecimal digits."""
    return secrets.token_hex(32)


def commitment(secret: str) -> str:
    """What is published before play: it gives nothing away, and no other secret fits it."""
    return hashlib.sha256(f"hansa seed {secret}".encode()).hexdigest()


def block_seed(secret: str, block: int, attempt: int) -> int:
    """The seed of a block. One that was spoilt is played anew from another deal."""
    found = hmac.digest(secret.encode(), f"block {block} attempt {attempt}".encode(), "sha256")
    return int.from_bytes(found[:8], "big") >> (64 - BITS)


def draw_for(secret: str, what: str) -> int:
    """A number for a choice that pairing schemes make by chance, such as the order of the first round."""
    return int.from_bytes(hmac.digest(secret.encode(), what.encode(), "sha256")[:8], "big")
