"""Positions of any game, and what can be done with them: play, copy, compare, save, search."""

import difflib
import threading
import unicodedata
import zlib
from array import array
from collections.abc import Mapping

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.object cimport Py_EQ, Py_NE
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from hansa_fast._bits cimport MASK_WORDS, lowest, mask_count, rng_next
from hansa_fast._engine cimport GREEDY, MAX_SEATS, PLANNER, STATE_BYTES, UNIFORM, Engine

from hansa_fast._errors import ActionTextError, HiddenError, IllegalActionError, PositionError, RulesError, shown

cdef enum:
    ACTIONS = 1024      # ids of any game
    PLAYED = 4096       # decisions that are played before anybody else is heard
    HEADER = 8          # bytes before the state in to_bytes(): magic, version, digest of the rules

cdef tuple INTS = tuple(range(ACTIONS))     # ready-made objects to hand out
cdef Engine NO_GAME = Engine()              # of a state that nobody filled
cdef bytes MAGIC = b"HF\x01\x00"

POLICIES = {"uniform": UNIFORM, "greedy": GREEDY, "planner": PLANNER}


cdef int policy_of(name) except -1:
    if type(name) is not str or name not in POLICIES:
        raise ValueError(f"policy: {shown(name)} is none of {', '.join(POLICIES)}")
    return POLICIES[name]


cdef uint64_t seed_of(value) except? 0:
    if type(value) is not int or not 0 <= value < 2**64:
        raise ValueError(f"seed: must be a whole number from 0 to 2**64 - 1, not {shown(value)}")
    return value


cdef bytes digest(rules):
    options = rules.to_dict()
    del options["turn_limit"]       # part of the state
    return zlib.crc32(repr(sorted(options.items())).encode()).to_bytes(4, "little")


cdef State blank(rules):
    """A state of these rules that still has to be filled."""
    from hansa_fast._rules import Rules, engine_of
    if type(rules) is not Rules:
        raise TypeError(f"rules: must be hansa_fast.Rules, not {type(rules).__name__}")
    cdef State state = State.__new__(State)
    state.rules = rules
    state.engine = engine_of(rules)
    return state


cdef object fold(text):
    """Texts are compared without regard to case, accents' encoding and repeated blanks."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


@cython.final
@cython.freelist(256)
cdef class State:
    """A position. Made by `Rules.new`, `State.from_dict` or `State.from_bytes`; changed only by `apply`."""

    def __cinit__(self):
        self.engine = NO_GAME

    def __init__(self):
        raise TypeError("use Rules.new, State.from_dict or State.from_bytes")

    @staticmethod
    def start(rules, seed=0, setup=None):
        """A new game; the same as `rules.new(seed, setup)`."""
        cdef State state = blank(rules)
        if setup is not None and not isinstance(setup, Mapping):
            raise RulesError(f"setup: must be an object, not {shown(setup)}")
        state.engine.start(state.raw, seed_of(seed), dict(setup) if setup is not None else None, rules.turn_limit)
        return state

    # -- Whose decision, and which -------------------------------------------------------------------------------

    @property
    def player(self):
        """The seat that decides; -1 when the game is over."""
        return self.engine.player(self.raw)

    @property
    def phase(self):
        """What is being decided; see docs/actions.md."""
        return self.engine.phases()[self.engine.phase_index(self.raw)]

    @property
    def is_over(self):
        """Whether the game has ended."""
        return self.engine.player(self.raw) < 0

    @property
    def turn(self):
        """How many turns were finished, by all players together."""
        return self.engine.turn(self.raw)

    @property
    def is_view(self):
        """Whether something is hidden in this state."""
        return bool(self.engine.is_view(self.raw))

    # -- Actions -------------------------------------------------------------------------------------------------

    def legal_actions(self):
        """Ids of all legal actions, ascending."""
        cdef const uint64_t* mask = self.legal()
        cdef int w, at = 0
        cdef uint64_t bits
        cdef object number
        cdef list out = PyList_New(mask_count(mask))
        for w in range(MASK_WORDS):
            bits = mask[w]
            while bits:
                number = INTS[64 * w + lowest(bits)]
                Py_INCREF(number)
                PyList_SET_ITEM(out, at, number)
                at += 1
                bits &= bits - 1
        return out

    def legal_mask(self):
        """The legal actions as bits of an int: bit `a` is set if action `a` is legal."""
        return int.from_bytes((<const unsigned char*>self.legal())[:MASK_WORDS * 8], "little")

    def is_legal(self, action):
        """Whether the action is legal here."""
        return type(action) is int and 0 <= action < ACTIONS and bool(self.allows(action))

    def apply(self, action):
        """Play a legal action. Raises `IllegalActionError` and changes nothing if it is not legal."""
        cdef int a
        if type(action) is not int or not 0 <= action < ACTIONS:
            raise IllegalActionError(self._refusal(action))
        a = action
        if not self.allows(a):
            raise IllegalActionError(self._refusal(a))
        if self.engine.needs_hidden(self.raw, a):
            raise HiddenError("this view cannot go on: the next position depends on hidden markers; use redeal first")
        self.engine.apply(self.raw, a)
        self.masked = False

    def _refusal(self, action):
        if type(action) is not int or not 0 <= action < ACTIONS:
            return f"an action is a whole number from 0 to {ACTIONS - 1}, not {shown(action)}"
        if self.is_over:
            return f"action {action}: the game is over"
        count = mask_count(self.legal())
        return f"action {action} is not legal for seat {self.player} in phase {self.phase} ({count} others are)"

    def apply_forced(self):
        """Play as long as there is exactly one legal action; returns what was played."""
        out = []
        while not self.is_over and mask_count(self.legal()) == 1:
            action = self.legal_actions()[0]
            self.apply(action)
            out.append(action)
        return out

    def describe(self, action):
        """The text of a legal action."""
        if not self.is_legal(action):
            raise IllegalActionError(self._refusal(action))
        return self.engine.describe(self.raw, action)

    def parse(self, text):
        """The legal action with this text. City names may be written with their aliases, in any case."""
        if type(text) is not str:
            raise ActionTextError(f"an action text is a string, not {type(text).__name__}")
        wanted = self.engine.unalias(fold(text[:400]))
        guess = self.engine.texts.get(wanted)       # the same text mostly means the same id
        if guess is not None and self.allows(guess) and fold(self.engine.describe(self.raw, guess)) == wanted:
            return guess
        known = {fold(self.engine.describe(self.raw, a)): a for a in self.legal_actions()}
        if wanted in known:
            self.engine.texts[wanted] = known[wanted]
            return known[wanted]
        near = difflib.get_close_matches(wanted, known, 3, 0.5)
        meant = " or ".join(self.engine.describe(self.raw, known[t]) for t in near)
        hint = f"; did you mean {meant}?" if near else ""
        verbs = self._some(sorted({t.split(" ")[0] for t in known}))
        if wanted.split(" ")[:1] and wanted.split(" ")[0] in self.engine.verbs():
            hint = hint or f"; legal are: {verbs}"
            raise IllegalActionError(f"{text[:80]!r} is not legal in phase {self.phase}{hint}")
        hint = hint or f"; legal texts start with: {verbs}"
        raise ActionTextError(f"{text[:80]!r} names no action{hint}")

    def _some(self, words):
        return ", ".join(words) if words else "none, the game is over"

    # -- Copies and comparison -----------------------------------------------------------------------------------

    def copy(self):
        """An independent copy."""
        cdef State other = State.__new__(State)
        other.rules = self.rules
        other.engine = self.engine
        copy_raw(self.engine, other.raw, self.raw)
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __richcmp__(self, other, int op):
        cdef State o
        if op not in (Py_EQ, Py_NE) or type(other) is not State:
            return NotImplemented
        o = other
        same = memcmp(self.raw, o.raw, self.engine.state_size) == 0 and self.rules == o.rules
        return same if op == Py_EQ else not same

    def __hash__(self):
        cdef uint64_t h = 0x9E3779B97F4A7C15ULL
        cdef int i
        for i in range(self.engine.state_size // 8):
            h = (h ^ self.raw[i]) * 0x9FB21C651E98DF25ULL
            h ^= h >> 32
        return <int64_t>h

    def __repr__(self):
        who = "over" if self.is_over else f"seat {self.player} to decide: {self.phase}"
        return f"<State {self.rules.game} {self.rules.board} turn {self.turn}, {who}>"

    # -- Saving --------------------------------------------------------------------------------------------------

    def to_bytes(self):
        """A compact form, the same on every platform."""
        cdef unsigned char out[STATE_BYTES]
        self.engine.encode(self.raw, out)
        return MAGIC + digest(self.rules) + out[:self.engine.state_size]

    @staticmethod
    def from_bytes(rules, data):
        """The state that `to_bytes` wrote. Anything else raises `PositionError`."""
        cdef State state = blank(rules)
        cdef bytes value
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise PositionError(f"bytes: must be bytes, not {shown(data)}")
        value = bytes(data)
        if value[:4] != MAGIC:
            raise PositionError("bytes: not a state, or one of another version")
        if len(value) != HEADER + state.engine.state_size:
            raise PositionError(f"bytes: {HEADER + state.engine.state_size} are needed, not {len(value)}")
        if value[4:8] != digest(rules):
            raise PositionError("bytes: a state of other rules")
        state.engine.decode(<const unsigned char*>value + HEADER, state.raw)
        state._check()
        return state

    def to_dict(self):
        """The canonical form in plain JSON values; see docs/formats.md."""
        return self.engine.to_dict(self.raw)

    @staticmethod
    def from_dict(rules, value):
        """Set up any position. Raises `PositionError`, whose `problems` name every inconsistency."""
        cdef State state = blank(rules)
        state.engine.from_dict(value, state.raw)
        state._check()
        return state

    def _check(self):
        wrong = self.engine.problems(self.raw)
        if wrong:
            raise PositionError(wrong)

    def __reduce__(self):
        return (State.from_bytes, (self.rules, self.to_bytes()))

    # -- Scores --------------------------------------------------------------------------------------------------

    def scores(self):
        """Per seat every scoring category and the total, as if the game ended now."""
        return self.engine.scores(self.raw)

    def result(self):
        """Reasons of the end, scores, ranks and winners. The game must be over."""
        if not self.is_over:
            raise ValueError("the game is not over; scores() shows what it would be worth now")
        return self.engine.result(self.raw)

    # -- Hidden things -------------------------------------------------------------------------------------------

    def view(self, player):
        """The state as this seat sees it; None sees what everybody sees. When the game is over everything is open."""
        cdef State other = self.copy()
        other.engine.hide(other.raw, self._seat(player))
        return other

    def redeal(self, player, seed):
        """A full state that fits all this seat (None: everybody) knows; what it cannot know is drawn anew."""
        cdef State other = self.copy()
        other.engine.redeal(other.raw, self._seat(player), seed_of(seed))
        return other

    def _seat(self, player):
        if player is None:
            return -1
        if type(player) is not int or not 0 <= player < self.engine.seats:
            raise ValueError(f"player: must be a seat from 0 to {self.engine.seats - 1}, not {shown(player)}")
        return player

    def choose(self, seed, policy="greedy"):
        """The action a built-in policy would choose here."""
        cdef uint64_t rng = seed_of(seed)
        if self.is_over:
            raise IllegalActionError("the game is over")
        return self.engine.choose(self.raw, self.legal(), &rng, policy_of(policy))

    def play(self, policies, seed, step=1):
        """Play the position to its end, every seat by its own policy; returns the actions as an `array` of type H.

        The same as `choose` and `apply` in turn, with the seed of each decision `step` beyond that of the one before,
        but all of it in the core, without the GIL.
        """
        cdef uint64_t at = seed_of(seed), by = seed_of(step), rng
        cdef uint64_t raw[64]      # others may look at this state meanwhile
        cdef uint64_t mask[MASK_WORDS]
        cdef uint16_t played[PLAYED]
        cdef int codes[MAX_SEATS]
        cdef int n, player, seat
        if not isinstance(policies, (list, tuple)) or len(policies) != self.engine.seats:
            raise ValueError(f"policies: must be {self.engine.seats}, one for each seat, not {shown(policies)}")
        for seat in range(self.engine.seats):
            codes[seat] = policy_of(policies[seat])
        need_open(self)
        actions = array("H")
        copy_raw(self.engine, raw, self.raw)
        player = self.engine.player(raw)
        while player >= 0:
            n = 0
            with nogil:
                while player >= 0 and n < PLAYED:
                    self.engine.legal(raw, mask)
                    rng = at
                    played[n] = <uint16_t>self.engine.choose(raw, mask, &rng, codes[player])
                    self.engine.apply(raw, played[n])
                    player = self.engine.player(raw)
                    at += by
                    n += 1
            actions.frombytes((<char*>played)[:2 * n])
            PyErr_CheckSignals()
        copy_raw(self.engine, self.raw, raw)
        self.masked = False
        return actions


# ---------------------------------------------------------------------------------------------------------------------
# Searching
# ---------------------------------------------------------------------------------------------------------------------

cdef int need_open(State state) except -1:
    if state.engine.is_view(state.raw):
        raise HiddenError("a view cannot be played out; use redeal first")
    return 0


def perft(State state not None, int depth):
    """How many sequences of `depth` decisions the position has. The last decision is counted, not played."""
    cdef uint64_t n
    if depth < 0:
        raise ValueError(f"depth: must be 0 or more, not {depth}")
    need_open(state)
    if depth == 0:
        return 1
    with nogil:
        n = state.engine.perft(state.raw, depth)
    return n


def playout(State state not None, seed, policy="uniform", turn_limit=None):
    """Play the position to its end, or to the turn limit; returns (final state, number of decisions)."""
    cdef State end = state.copy()
    cdef uint64_t rng = seed_of(seed)
    cdef int n, code = policy_of(policy)
    need_open(state)
    set_limit(end, turn_limit)
    with nogil:
        n = end.engine.playout(end.raw, &rng, code)
    return end, n


cdef int set_limit(State state, turn_limit) except -1:
    """A limit that is already passed ends the game with the turn that is being played."""
    if turn_limit is None:
        return 0
    if type(turn_limit) is not int or not 1 <= turn_limit < 2**31:
        raise ValueError(f"turn_limit: must be a whole number of at least 1, not {shown(turn_limit)}")
    if state.is_over:
        return 0
    state.engine.limit_turns(state.raw, max(turn_limit, state.engine.turn(state.raw) + 1))
    return 0


cdef struct Tally:
    int64_t decisions
    int64_t points[5]
    int64_t first[5]    # in 60ths, so that shared wins stay whole
    int64_t place[5]    # sum of ranks


cdef void play_many(Engine engine, const void* start, uint64_t seed, int64_t begin, int64_t end, int policy,
                    Tally* out) noexcept nogil:
    """Playouts begin to end - 1; each has a generator of its own, so the split over threads does not matter."""
    cdef uint64_t state[64]
    cdef uint64_t rng
    cdef int points[5]
    cdef int ranks[5]
    cdef int64_t i
    cdef int p, winners
    for i in range(begin, end):
        copy_raw(engine, state, start)
        rng = seed + <uint64_t>i * 0xD1342543DE82EF95ULL
        rng = rng_next(&rng)
        out.decisions += engine.playout(state, &rng, policy)
        engine.totals(state, points, ranks)
        winners = 0
        for p in range(engine.seats):
            winners += ranks[p] == 1
        for p in range(engine.seats):
            out.points[p] += points[p]
            out.place[p] += ranks[p]
            if ranks[p] == 1:
                out.first[p] += 60 // winners


cdef class Chunk:
    """The share of one thread."""

    cdef Tally tally
    cdef State state

    def __init__(self, State state):
        self.state = state
        memset(&self.tally, 0, sizeof(Tally))

    def run(self, uint64_t seed, int64_t begin, int64_t end, int policy):
        with nogil:
            play_many(self.state.engine, self.state.raw, seed, begin, end, policy, &self.tally)


def playouts(State state not None, n, seed, threads=1, policy="uniform", turn_limit=None):
    """Play the position out n times. The result depends on the seed, not on the number of threads.

    Returns `{"playouts", "decisions", "mean_score", "mean_rank", "win_share"}`, the last three per seat.
    """
    cdef uint64_t start = seed_of(seed)
    cdef int code = policy_of(policy), p
    cdef State begin = state.copy()
    cdef Chunk chunk
    if type(n) is not int or n < 1 or type(threads) is not int or threads < 1:
        raise ValueError(f"n and threads must be whole numbers of at least 1, not {shown(n)} and {shown(threads)}")
    need_open(state)
    set_limit(begin, turn_limit)
    chunks = [Chunk(begin) for _ in range(min(threads, n))]
    edges = [n * k // len(chunks) for k in range(len(chunks) + 1)]
    workers = [
        threading.Thread(target=chunks[k].run, args=(start, edges[k], edges[k + 1], code))
        for k in range(1, len(chunks))
    ]
    for worker in workers:
        worker.start()
    chunks[0].run(start, edges[0], edges[1], code)
    for worker in workers:
        worker.join()
    decisions = 0
    score = [0] * state.engine.seats
    rank = [0] * state.engine.seats
    wins = [0] * state.engine.seats
    for chunk in chunks:
        decisions += chunk.tally.decisions
        for p in range(state.engine.seats):
            score[p] += chunk.tally.points[p]
            rank[p] += chunk.tally.place[p]
            wins[p] += chunk.tally.first[p]
    return {
        "playouts": n,
        "decisions": decisions,
        "mean_score": [value / n for value in score],
        "mean_rank": [value / n for value in rank],
        "win_share": [value / n / 60 for value in wins],
    }


def _copy_rounds(State state not None, int64_t n, bint plain):
    """For the bench: n copies as playouts make them or, for comparison, n memcpy of as many bytes.

    Returns the last copy. Both write in turn to 64 places, so both touch the same memory.
    """
    cdef uint64_t space[64][64]
    cdef State out = state.copy()
    cdef size_t size = state.engine.state_size
    cdef int64_t i
    if n < 1:
        raise ValueError(f"n: must be at least 1, not {n}")
    with nogil:
        if plain:
            for i in range(n):
                memcpy(space[i & 63], state.raw, size)
        else:
            for i in range(n):
                copy_raw(state.engine, space[i & 63], state.raw)
    copy_raw(state.engine, out.raw, space[(n - 1) & 63])
    return out
