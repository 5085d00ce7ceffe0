"""The legal actions as a person sees them: numbered, grouped by verb, found by a few letters."""

from __future__ import annotations

import re
import unicodedata

import hansa_fast as hf


class Choices:
    """The legal actions of a position, numbered from 1."""

    def __init__(self, state: hf.State) -> None:
        """Number the actions in the order of `legal_texts`."""
        self.actions = legal_texts(state)
        self.texts = [text for _, text in self.actions]

    def __len__(self) -> int:
        return len(self.actions)

    def groups(self) -> dict[str, list[tuple[int, int, str]]]:
        """Number, id and text of the actions, by the first word of the text."""
        groups: dict[str, list[tuple[int, int, str]]] = {}
        for number, (action, text) in enumerate(self.actions, 1):
            groups.setdefault(text.split(" ")[0], []).append((number, action, text))
        return groups

    def menu(self, width: int) -> list[str]:
        """A line for each verb: its numbers, and its actions as far as they fit."""
        lines = []
        for verb, entries in self.groups().items():
            numbers = _numbers(entries[0][0], entries[-1][0])
            rests = " | ".join(rest_of(text) for _, _, text in entries)
            line = f"{numbers:>9}  {verb if rests == verb else f'{verb}  {rests}'}"
            if len(line) > width:
                line = f"{numbers:>9}  {verb}  ... {len(entries)} choices, `{verb}` lists them"
            lines.append(line)
        return lines

    def listing(self, numbers: list[int]) -> list[str]:
        """Number and text of some actions; neighbours that differ only in a number at the end share an entry."""
        entries: list[tuple[int, str, list[str]]] = []  # first number, common text, ends
        for number in numbers:
            common, _, last = self.texts[number - 1].rpartition(" ")
            if not last.isdecimal():
                entries.append((number, self.texts[number - 1], []))
            elif entries and entries[-1][1] == common and entries[-1][0] + len(entries[-1][2]) == number:
                entries[-1][2].append(last)
            else:
                entries.append((number, common, [last]))
        return [
            f"{_numbers(first, first + max(len(ends), 1) - 1):>9}  {common} {'/'.join(ends)}".rstrip()
            for first, common, ends in entries
        ]

    def find(self, typed: str) -> list[int]:
        """Numbers of the actions whose words begin, in this order, like the typed ones; a full text finds itself."""
        wanted = _words(typed)
        found = []
        for number, text in enumerate(self.texts, 1):
            words = _words(text)
            if words == wanted:
                return [number]
            rest = iter(words)
            if wanted and words[0].startswith(wanted[0]) and all(any(w.startswith(t) for w in rest) for t in wanted):
                found.append(number)
        return found


def legal_texts(state: hf.State) -> list[tuple[int, str]]:
    """Ids and texts of the legal actions in the order people are shown them: by verb, then as on the board."""
    actions = [(action, state.describe(action)) for action in state.legal_actions()]
    verbs = list(dict.fromkeys(text.split(" ")[0] for _, text in actions))
    return sorted(actions, key=lambda entry: verbs.index(entry[1].split(" ")[0]))


def rest_of(text: str) -> str:
    """An action's text under the heading of its verb: without it, unless there is nothing else."""
    verb, _, rest = text.partition(" ")
    return rest or verb


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _words(text: str) -> list[str]:
    """The words and parts of names, without case and accents; `ue` is as good as `ü`."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return [word for word in re.split(r"[\s-]+", re.sub("([aou])e", r"\1", plain.replace("ø", "o"))) if word]
