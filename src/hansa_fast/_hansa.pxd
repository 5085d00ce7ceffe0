"""Hansa (2004): the tables of a board and the state of a game. `docs/core.md` tells the story."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SEATS = 4
    CITIES = 16
    SPACES = 16         # warehouses
    COLOURS = 8
    PLANES = 5          # markers of one good
    PILE = 64           # markers in all piles
    UNKNOWN = 255       # a hidden marker (views only)
    NONE = 255
    INCOME = 3
    KEEP = 3            # talers and unsold markers that taxes leave
    BOOTHS = 15         # of a player
    LAST_TURN = 0x7FFFFFFF  # the limit of turns when none is set

cdef enum:              # phases, in the order of PHASES in the engine
    PH_PLACE = 0
    PH_REPLENISH = 1
    PH_MAIN = 2
    PH_SELL = 3
    PH_LOSE = 4
    PH_GIVE = 5
    PH_OVER = 6

cdef enum:              # first ids of the blocks of docs/actions.md; 32 goods a block, 16 cities
    ID_BUY = 0
    ID_BUILD = 32
    ID_SELL = 64
    ID_LOSE = 96
    ID_GIVE = 128
    ID_SAIL = 160
    ID_PLACE = 176
    ID_REPLENISH = 192
    ID_DONE = 193
    ID_END = 194
    USED_WORDS = 4      # of a mask

cdef enum:              # bits of State.flags
    ACTED = 1
    VIEW = 2

cdef enum:              # bits of State.end
    END_PILE = 1
    END_TURNS = 2


# Goods are bits: 4 * colour + barrels - 1. A set of markers is a stack of bit planes: bit g of plane k says that there
# are more than k markers of good g, so each plane is part of the one below it.
cdef struct Goods:
    uint32_t plane[5]


cdef struct State:
    Goods unsold[4]
    Goods sold[4]
    Goods removed
    uint32_t turn           # turns finished
    uint32_t turn_limit     # 0 for none
    uint8_t booths[4][16]   # on the board, by seat and city
    uint8_t supply[4]       # booths not on the board
    uint8_t talers[4]
    uint8_t warehouse[16]   # good + 1, in the order in which they are filled
    uint8_t pile[64]        # pile[pile_size - 1] is drawn next
    uint8_t picked[8]       # markers of the sale going on, by colour
    uint8_t pile_size
    uint8_t colours         # in play, as bits
    uint8_t ship            # city
    uint8_t current         # whose turn
    uint8_t player          # who decides
    uint8_t phase
    uint8_t flags
    uint8_t end             # reasons
    uint8_t sold_colours    # of the sale whose losses are being taken, as bits
    uint8_t lost_colour     # the colour asked for
    uint8_t spare[2]        # keeps the size a multiple of eight, always zero


cdef struct Table:
    int seats
    int cities
    int spaces
    int colours             # of the board
    int start               # city of the ship
    int last_pile           # markers of pile five
    uint8_t space_city[16]
    uint8_t city_space[16][4]   # the spaces of a city, in order
    uint8_t city_spaces[16]
    uint16_t arrows[16]         # cities one sails to
    uint8_t good_count[32]      # markers of a good, if its colour is played
    uint32_t goods              # all goods of the board as bits
    uint32_t barrel_goods[5]    # goods by barrels


# Exact rules; see the .pyx. What applies an action takes it to be legal.
cdef void legal_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil
cdef void apply_id(const Table* t, State* s, int a) noexcept nogil
cdef int choose_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng, int policy) noexcept nogil
cdef int play_out(const Table* t, State* s, uint64_t* rng, int policy) noexcept nogil
cdef uint64_t count_leaves(const Table* t, const State* s, int depth) noexcept nogil
cdef void score_all(const Table* t, const State* s, int score[4][4]) noexcept nogil
cdef void rank_all(const Table* t, const State* s, int score[4][4], int* ranks) noexcept nogil

# Readers and writers of single facts, for the checks and the codec.
cdef void add_good(Goods* goods, int good) noexcept nogil
cdef int count_good(const Goods* goods, int good) noexcept nogil
cdef int count_goods(const Goods* goods) noexcept nogil
cdef int count_colour(const Goods* goods, int colour) noexcept nogil
cdef int empty_spaces(const Table* t, const State* s) noexcept nogil
cdef bint last_round(const Table* t, const State* s) noexcept nogil

cdef int compile_table(Table* t, rules, board) except -1
