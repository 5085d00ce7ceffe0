"""Many games of the same rules, stepped together in C over threads; what learning code asks for."""

import threading
import weakref

cimport cython
from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint64_t

import numpy as np

from hansa_fast._bits cimport MASK_WORDS, rng_next
from hansa_fast._engine cimport MAX_SEATS, Engine
from hansa_fast._state cimport State, copy_raw, policy_of, set_limit

from hansa_fast._errors import IllegalActionError

cdef enum:
    LOOKS = 4000        # about a tenth of a millisecond
    LEAST_SHARE = 256   # games a thread must have to do before it is worth waking up


@cython.final
cdef class Baton:
    """Handed from one thread to another. Who waits for it looks out busily for a while before going to sleep: to wake a
    sleeping thread takes longer than to step thousands of games."""

    cdef PyThread_type_lock lock

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock is NULL:
            raise MemoryError
        PyThread_acquire_lock(self.lock, WAIT_LOCK)

    def __dealloc__(self):
        if self.lock is not NULL:
            PyThread_free_lock(self.lock)

    cdef void give(self) noexcept:
        PyThread_release_lock(self.lock)

    cdef void take(self) noexcept:
        cdef int _k
        with nogil:
            for _k in range(LOOKS):
                if PyThread_acquire_lock(self.lock, NOWAIT_LOCK):
                    break
            else:
                PyThread_acquire_lock(self.lock, WAIT_LOCK)


def hire(batch):
    """Start the threads of a batch. They sleep between jobs, do not keep the batch alive, and end with it."""
    crew = (<Batch>batch).crew

    def dismiss(_):
        for start, _ in crew:
            (<Baton>start).give()

    weak = weakref.ref(batch, dismiss)
    for k, (start, done) in enumerate(crew, 1):
        threading.Thread(target=labour, args=(weak, k, start, done), daemon=True).start()


def labour(weak, k, Baton start, Baton done):
    """The life of a thread: wait, do the share of a job, say so."""
    while True:
        start.take()
        batch = weak()
        if batch is None:
            return
        try:
            (<Batch>batch)._run(k)
        finally:
            del batch
            done.give()


@cython.final
cdef class Batch:
    """`n` games of the same rules. All arrays are views of the batch's own memory: they change with every step.

    Game i is drawn from the i-th number of the generator that starts at `seed`; a game that is reset takes new ones.
    """

    cdef readonly object rules
    cdef readonly object players    # int8[n]: who decides, -1 when the game is over
    cdef readonly object masks      # uint64[n, 16]: legal actions as bits, all zero when the game is over
    cdef readonly object turns      # int32[n]: turns finished
    cdef readonly object scores     # int16[n, seats]: final totals, zero until the game is over
    cdef readonly object ranks      # int8[n, seats]: final ranks from 1, zero until the game is over
    cdef readonly object rewards    # float32[n, seats]: share of opponents beaten, ties half; zero until the end
    cdef readonly int threads
    cdef Engine engine
    cdef object __weakref__
    cdef object turn_limit
    cdef list crew                  # what the threads beside the caller's wait for and what they say: pairs of batons
    cdef tuple job                  # what they have to do
    cdef list results
    cdef Py_ssize_t n
    cdef uint64_t seeds
    cdef int stride                 # 64-bit words of a state
    cdef uint64_t[:, ::1] raw
    cdef uint64_t[::1] rng
    cdef uint64_t[:, ::1] mask
    cdef int8_t[::1] player
    cdef int32_t[::1] turn
    cdef int16_t[:, ::1] score
    cdef int8_t[:, ::1] rank
    cdef float[:, ::1] reward

    def __init__(self, rules, n, seed=0, threads=1, turn_limit=None):
        for name, value in (("n", n), ("threads", threads)):
            if type(value) is not int or not 1 <= value <= 1 << 24:
                raise ValueError(f"{name}: must be a whole number of at least 1, not {value!r}")
        cdef State first = rules.new(seed)
        set_limit(first, turn_limit)
        self.rules = rules
        self.engine = first.engine
        self.turn_limit = turn_limit
        self.n = n
        self.threads = threads
        self.seeds = seed
        self.crew = [(Baton(), Baton()) for _ in range(threads - 1)]
        self.stride = self.engine.state_size // 8
        seats = self.engine.seats
        self.players = np.zeros(n, np.int8)
        self.masks = np.zeros((n, MASK_WORDS), np.uint64)
        self.turns = np.zeros(n, np.int32)
        self.scores = np.zeros((n, seats), np.int16)
        self.ranks = np.zeros((n, seats), np.int8)
        self.rewards = np.zeros((n, seats), np.float32)
        self.raw = np.zeros((n, self.stride), np.uint64)
        self.rng = np.zeros(n, np.uint64)
        self.player = self.players
        self.mask = self.masks
        self.turn = self.turns
        self.score = self.scores
        self.rank = self.ranks
        self.reward = self.rewards
        for array in (self.players, self.masks, self.turns, self.scores, self.ranks, self.rewards):
            array.flags.writeable = False       # the memoryviews above write all the same
        self.reset()
        hire(self)

    def __len__(self):
        return self.n

    def reset(self, indices=None):
        """Begin these games (all of them by default) anew, each with a new seed."""
        cdef State fresh
        cdef Py_ssize_t i
        chosen = range(self.n) if indices is None else [int(i) for i in indices]
        for i in chosen:
            if not 0 <= i < self.n:
                raise IndexError(f"there is no game {i} among {self.n}")
        for i in chosen:
            fresh = self.rules.new(rng_next(&self.seeds))
            set_limit(fresh, self.turn_limit)
            copy_raw(self.engine, &self.raw[i, 0], fresh.raw)
            self.rng[i] = rng_next(&self.seeds)
            self.refresh(i)

    def state(self, index):
        """A copy of one game's position."""
        cdef Py_ssize_t i = index
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {index} among {self.n}")
        cdef State out = self.rules.new(0)
        copy_raw(self.engine, out.raw, &self.raw[i, 0])
        return out

    def step(self, actions):
        """Play one action in every game; -1 leaves a game alone. If one is not legal, nothing is changed."""
        cdef const int16_t[::1] chosen
        values = np.asarray(actions)
        if values.shape != (self.n,) or values.dtype.kind not in "iu":
            raise ValueError(f"actions: must be {self.n} whole numbers, not {values.dtype} of shape {values.shape}")
        if values.dtype != np.int16:
            values = np.clip(values, -2, 1024).astype(np.int16)
        chosen = np.ascontiguousarray(values)
        wrong = [game for game in self._share(self._find_illegal, chosen) if game >= 0]
        if wrong:
            raise IllegalActionError(f"game {wrong[0]}: action {int(np.asarray(actions)[wrong[0]])} is not legal")
        self._share(self._step, chosen)

    def choose(self, policy="uniform"):
        """A legal action for every game by a built-in policy, as int16[n]; -1 where the game is over."""
        out = np.empty(self.n, np.int16)
        self._share(self._choose, out, policy_of(policy))
        return out

    def playout(self, policy="uniform"):
        """Play every game to its end; returns the number of decisions."""
        return sum(self._share(self._playout, policy_of(policy)))

    # -- The shares of the threads -------------------------------------------------------------------------------

    def _share(self, work, *args):
        """Call `work(begin, end, *args)` for the share of every thread; the results in order."""
        cdef Py_ssize_t parts = max(<Py_ssize_t>1, min(<Py_ssize_t>self.threads, self.n // LEAST_SHARE)), k
        self.job = (work, [self.n * k // parts for k in range(parts + 1)], args)
        self.results = [None] * parts
        for k in range(1, parts):
            (<Baton>self.crew[k - 1][0]).give()
        self._run(0)
        for k in range(1, parts):
            (<Baton>self.crew[k - 1][1]).take()
        self.job = None
        return self.results

    def _run(self, Py_ssize_t k):
        work, edges, args = self.job
        self.results[k] = work(edges[k], edges[k + 1], *args)

    def _find_illegal(self, Py_ssize_t begin, Py_ssize_t end, const int16_t[::1] actions):
        """The first game of the share whose action is not legal, or -1."""
        cdef Py_ssize_t i
        cdef int a
        with nogil:
            for i in range(begin, end):
                a = actions[i]
                if a != -1 and not (0 <= a < 64 * MASK_WORDS and (self.mask[i, a >> 6] >> (a & 63)) & 1):
                    break
            else:
                i = -1
        return i

    def _step(self, Py_ssize_t begin, Py_ssize_t end, const int16_t[::1] actions):
        cdef Py_ssize_t i
        with nogil:
            for i in range(begin, end):
                if actions[i] >= 0:
                    self.engine.apply(&self.raw[i, 0], actions[i])
                    self.refresh(i)

    def _choose(self, Py_ssize_t begin, Py_ssize_t end, int16_t[::1] out, int policy):
        cdef Py_ssize_t i
        with nogil:
            for i in range(begin, end):
                out[i] = -1
                if self.player[i] >= 0:
                    out[i] = <int16_t>self.engine.choose(&self.raw[i, 0], &self.mask[i, 0], &self.rng[i], policy)

    def _playout(self, Py_ssize_t begin, Py_ssize_t end, int policy):
        cdef Py_ssize_t i
        cdef int64_t decisions = 0
        with nogil:
            for i in range(begin, end):
                if self.player[i] >= 0:
                    decisions += self.engine.playout(&self.raw[i, 0], &self.rng[i], policy)
                    self.refresh(i)
        return decisions

    cdef void refresh(self, Py_ssize_t i) noexcept nogil:
        """Bring the arrays up to date with the state of game i."""
        cdef int points[MAX_SEATS]
        cdef int ranks[MAX_SEATS]
        cdef int p, q, seats = self.engine.seats
        cdef bint over
        self.engine.legal(&self.raw[i, 0], &self.mask[i, 0])
        self.player[i] = <int8_t>self.engine.player(&self.raw[i, 0])
        self.turn[i] = self.engine.turn(&self.raw[i, 0])
        over = self.player[i] < 0
        if over:
            self.engine.totals(&self.raw[i, 0], points, ranks)
        for p in range(seats):
            self.score[i, p] = <int16_t>points[p] if over else 0
            self.rank[i, p] = <int8_t>ranks[p] if over else 0
            self.reward[i, p] = 0
            if over:
                for q in range(seats):
                    self.reward[i, p] += 1.0 if ranks[p] < ranks[q] else 0.5 if ranks[p] == ranks[q] else 0.0
                self.reward[i, p] = (self.reward[i, p] - 0.5) / (seats - 1)
