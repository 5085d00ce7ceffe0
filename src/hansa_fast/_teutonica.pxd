"""Hansa Teutonica: the tables of a board and the state of a game. `docs/core.md` tells the story."""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SEATS = 5
    KINDS = 6           # of markers
    UNKNOWN = 6         # a marker whose kind is hidden (views only)
    MAX_RINGS = 24
    NONE = 255          # no post, no seat, no card
    GREEN_OFFICES = 32  # per green city
    LAST_TURN = 0x7FFFFFFF  # the limit of turns when none is set
    TRADER = 0
    MERCHANT = 1

# Kinds of markers, abilities, tiles: the order of the data files.
cdef enum:
    ADDITIONAL_POST = 0
    SWAP_POSTS = 1
    ACTIONS_3 = 2
    ACTIONS_4 = 3
    DEVELOP_ABILITY = 4
    THREE = 5           # remove_3 (2009), move_3 (big-box)

cdef enum:
    KEYS = 0
    ACTIONS = 1
    PRIVILEGE = 2
    BOOK = 3
    BANK = 4

cdef enum:
    RELOCATE_ANYWHERE = 0
    EXTRA_ACTION = 1
    INCOME_FOLLOW = 2
    DISPLACED_TRADER_2 = 3
    CITY_CONTROL_DOUBLE = 4
    ABILITY_7 = 5

cdef enum:              # permanent markers, 0 for none
    PERM_DEVELOP = 1
    PERM_MOVE = 2
    PERM_GREEN = 3
    PERM_PLACE_ROUTE = 4    # pieces of the route, anywhere (East)
    PERM_PLACE_FOREIGN = 5  # pieces of the stock, abroad (Britannia)

cdef enum:              # phases, in the order of PHASES in the .pyx
    PH_PAWN = 0
    PH_MAIN = 1
    PH_PAY = 2
    PH_ANSWER = 3
    PH_ANSWER_TO = 4
    PH_LIFT = 5
    PH_SET = 6
    PH_REMOVE = 7
    PH_FAVOUR_INCOME = 8
    PH_FLIP = 9
    PH_DEVELOP_PRIVILEGE = 10
    PH_GREEN_OFFICE = 11
    PH_PLACE_TWO = 12
    PH_PUT_MARKER = 13
    PH_MARKER_ROUTE = 14
    PH_OVER = 15

cdef enum:              # first ids of the blocks of docs/actions.md
    ID_TRADER = 0
    ID_MERCHANT = 128
    ID_INCOME = 256
    ID_ROUTE_NONE = 416
    ID_OFFICE_A = 456
    ID_OFFICE_B = 496
    ID_EXTRA = 536      # a trader, a merchant, b trader, b merchant: 40 ids each
    ID_DEVELOP = 696
    ID_PRESTIGE = 728
    ID_PAY = 732
    ID_KIND = 737
    ID_ABILITY = 743
    ID_FAVOUR = 748
    ID_PAWN = 754
    ID_PAWN_ACTION = 770
    ID_GREEN = 786
    ID_MOVE = 794
    ID_DONE = 795
    ID_ON_ROUTE = 800
    ID_SWAP = 840
    ID_SWAP_GREEN = 896

cdef enum:              # bits of State.flags
    FRESH = 1
    ACTED = 2
    ACTIONS_OVER = 4
    PAWN_MOVED = 8
    VIEW = 16           # something is hidden

cdef enum:              # bits of State.end
    END_POINTS = 1
    END_CITIES = 2
    END_MARKER = 4
    END_TURNS = 8

cdef enum:              # whose pieces a move may lift
    MOVE_OWN = 0
    MOVE_OPPONENTS = 1
    MOVE_ANY = 2

# What State.pend holds, by phase. Unused entries are zero.
cdef enum:
    PAY_POST = 0
    PAY_SHAPE = 1
    ANS_ROUTE = 0
    ANS_SHAPE = 1
    ANS_DOWN = 2        # post of the displaced piece, NONE while it is in hand
    ANS_EXTRAS = 3
    HAND_FROM = 4       # answer-to and set
    HAND_PIECE = 5      # seat + 8 * shape
    MOVE_MODE = 0
    MOVE_LEFT = 1
    MOVE_LIFTED = 2
    REM_LEFT = 0
    REM_DONE = 1
    FLIP_TILE = 0
    FLIP_LEFT = 1
    TWO_TRADERS = 0
    TWO_MERCHANTS = 1
    TWO_LEFT = 2
    TWO_FOREIGN = 3
    PUT_KIND = 0
    PENDING = 8


cdef struct Seat:
    uint8_t supply[2]       # traders, merchants
    uint8_t stock[2]
    uint8_t points          # prestige track
    uint8_t ability[5]      # spaces developed
    uint8_t unused[6]       # markers by kind
    uint8_t used[6]
    uint8_t plate[6]        # seen and unplaced (P3)
    uint8_t favours         # bit per tile
    uint8_t mission         # card + 1, 0 without missions, NONE when hidden


cdef struct State:
    # The board: who stands where.
    uint64_t own[5][2]      # posts by seat
    uint64_t discs[2]       # posts with a merchant
    uint64_t office[5][2]   # printed offices by seat
    uint64_t office_discs[2]
    uint64_t green[3][2]    # 32 nibbles a city, from the left: seat + 1, plus 8 for a merchant
    uint64_t marked         # routes with a marker
    uint64_t marker_kind[3]  # bit planes of its kind
    uint32_t turn           # turns finished
    uint32_t turn_limit     # 0 for none
    # The desks.
    Seat seat[5]
    # Shared things.
    uint8_t pile[16]        # pile[pile_size - 1] is drawn next
    uint8_t extra_city[5]   # city + 1, by city, then in the order they were added
    uint8_t extra_piece[5]  # seat + 8 * shape
    uint8_t prestige[4]     # seat + 1
    uint8_t east_west[5]    # seat + 1, in order
    uint8_t hidden[7]       # drawn this turn, by kind, the last one UNKNOWN
    uint8_t pile_size
    uint8_t completed
    uint8_t favours_open    # bit per tile
    uint8_t pawn            # province + 1
    uint8_t end             # reasons
    # The turn.
    uint8_t current         # whose turn
    uint8_t player          # who decides
    uint8_t phase
    uint8_t actions         # left
    uint8_t flags
    uint8_t permissions     # used this turn
    uint8_t pend[8]
    uint8_t spare[5]        # keeps the size a multiple of eight, always zero


cdef struct Table:
    # Options.
    int seats
    bint first_edition      # 2009
    bint favours
    bint missions
    int completed_limit
    # Posts.
    int posts
    uint64_t all[2]
    uint64_t land[2]        # posts that take any shape
    uint64_t first[8][2]    # first posts of the routes with n posts
    int longest             # posts of the longest route
    uint8_t post_route[128]
    # Routes.
    int routes
    uint64_t route_posts[40][2]
    uint8_t route_first[40]
    uint8_t route_size[40]
    uint8_t route_city[40][2]
    uint64_t route_last[40][2]  # the last printed offices of its cities
    uint64_t ring[40][24][2]    # posts by distance (D5, D14)
    uint8_t rings[40]
    uint64_t reach[40][2]   # all rings together
    uint64_t commons[2]     # land posts within reach of every route (or on it)
    uint64_t marker_routes  # where a marker may be put at all (P4)
    uint8_t permanent[40]
    uint8_t taverns[3]
    # Countries.
    int regions
    uint64_t region_posts[4][2]
    uint64_t home_posts[2]      # posts that need no permission
    uint64_t foreign_posts[2]
    uint8_t post_region[128]
    uint64_t own_move[4][2]     # where an own piece of this region may go (B5)
    bint foreign[4]
    uint32_t region_cities[4]
    int permissions
    uint8_t permission_city[4]
    uint8_t permission_regions[4]   # bits
    uint8_t permission_order[4][4]  # by region, NONE-terminated (B3)
    # Cities.
    int cities
    int offices
    uint8_t office_first[32]
    uint8_t office_count[32]
    uint8_t office_privilege[128]
    uint8_t office_shape[128]
    uint8_t office_coin[128]
    uint32_t city_near[32]  # cities joined by a route
    uint8_t east_west[2]
    int8_t green_of[32]     # index of a green city, or -1
    int greens
    uint8_t green_city[3]
    int develop_pairs
    uint8_t develop_route[32]
    uint8_t develop_ability[32]
    int swap_pairs
    uint8_t swap_city[56]
    uint8_t swap_left[56]   # index of the left office
    uint64_t swap_lefts[2]  # the same as a set: the k-th bit is the k-th pair
    int prestige_route
    int prestige_slots
    uint8_t prestige_points[4]
    uint8_t prestige_privilege[4]
    uint8_t mission_city[9][3]
    int mission_cards
    # Provinces.
    int provinces
    uint64_t province_posts[16][2]
    uint32_t province_near[16]  # one or two borders away
    # Markers.
    uint8_t kind_count[6]
    uint8_t kind_gold[6]


cdef inline bint has_post(const uint64_t* w, int post) noexcept nogil:
    return (w[post >> 6] >> (post & 63)) & 1


# Exact rules; see the .pyx. What applies an action takes it to be legal.
cdef void legal_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil
cdef void apply_id(const Table* t, State* s, int a) noexcept nogil
cdef int choose_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng, int policy) noexcept nogil
cdef void drop_twin_posts(const Table* t, const State* s, uint64_t* m) noexcept nogil
cdef int play_out(const Table* t, State* s, uint64_t* rng, int policy) noexcept nogil
cdef uint64_t count_leaves(const Table* t, const State* s, int depth) noexcept nogil
cdef void score_all(const Table* t, const State* s, int score[5][12]) noexcept nogil
cdef void rank_all(const Table* t, const State* s, int score[5][12], int* ranks) noexcept nogil

# Readers and writers of single facts, for the checks and the codec.
cdef void occupied(const State* s, uint64_t* out) noexcept nogil
cdef void free_posts(const Table* t, const State* s, uint64_t* out) noexcept nogil
cdef int owner_at(const State* s, int post) noexcept nogil
cdef void put_piece(State* s, int seat, int shape, int post) noexcept nogil
cdef int city_offices(const Table* t, const uint64_t* w, int city) noexcept nogil
cdef int filled_offices(const Table* t, const State* s, int city) noexcept nogil
cdef bint has_any_office(const Table* t, const State* s, int city) noexcept nogil
cdef int count_offices(const Table* t, const State* s, int seat, int city) noexcept nogil
cdef int controller(const Table* t, const State* s, int city) noexcept nogil
cdef bint holds_permission(const Table* t, const State* s, int k, int seat) noexcept nogil
cdef int green_nibble(const State* s, int g, int i) noexcept nogil
cdef void set_green(State* s, int g, int i, int value) noexcept nogil
cdef int green_count(const State* s, int g) noexcept nogil
cdef bint is_connected(const Table* t, const State* s, int seat) noexcept nogil
cdef int marker_on(const State* s, int route) noexcept nogil
cdef void put_marker(State* s, int route, int kind) noexcept nogil
cdef uint64_t open_routes(const Table* t, const State* s) noexcept nogil
cdef bint can_displace(const Table* t, const State* s, int post, const uint64_t* free) noexcept nogil
cdef void to_phase(State* s, int phase, int player) noexcept nogil

cdef int compile_table(Table* t, rules, board) except -1
