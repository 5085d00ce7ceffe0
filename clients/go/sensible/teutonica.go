package sensible

import (
	"slices"
	"strconv"
	"strings"

	"hansa"
	"hansa/pb"
)

// Worth of the next space of an ability, before what is developed already, and of a marker.
var (
	abilities = map[string]float64{"actions": 12, "privilege": 6, "book": 4, "bank": 5, "keys": 6}
	markers   = map[string]float64{"additional_post": 3, "swap_posts": 2, "actions_3": 4, "actions_4": 5, "develop_ability": 4}
)

// teutonicaTaste is what a seat likes in a position of Hansa Teutonica. Values only compare actions of the same decision.
//
// The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free posts are
// those where a piece could be placed.
type teutonicaTaste struct {
	me     *pb.TeutonicaView_Player
	mine   map[string]int // pieces by route
	theirs map[string]int
	free   map[string]int    // free posts by route
	on     map[string]string // kind of marker by route
	pieces int32             // in supply
}

func newTeutonicaTaste(decision *hansa.Decision) *teutonicaTaste {
	view := decision.View.GetTeutonica()
	t := &teutonicaTaste{
		me: view.Players[decision.Seat], mine: map[string]int{}, theirs: map[string]int{}, free: map[string]int{}, on: map[string]string{},
	}
	t.pieces = t.me.Supply.GetTraders() + t.me.Supply.GetMerchants()
	taken := map[string]bool{}
	for _, post := range view.Posts {
		taken[post.Post] = true
		if post.Piece.GetSeat() == decision.Seat {
			t.mine[routeOf(post.Post)]++
		} else {
			t.theirs[routeOf(post.Post)]++
		}
	}
	for _, action := range decision.Legal {
		words := strings.Fields(action.Text)
		if post := postOf(words); post != "" && !taken[post] {
			taken[post] = true // a trader and a merchant may go to the same post
			t.free[routeOf(post)]++
		}
	}
	for _, marker := range view.Markers {
		t.on[marker.Route] = marker.Kind
	}
	return t
}

// routeOf is the route of a post: "Kampen-Osnabrück 2" belongs to "Kampen-Osnabrück".
func routeOf(post string) string {
	return post[:max(0, strings.LastIndex(post, " "))]
}

// postOf is the post an action would put a piece on; empty for other actions.
func postOf(words []string) string {
	switch words[0] {
	case "place", "answer", "place-two": // and the shape
		return strings.Join(words[min(2, len(words)):], " ")
	case "set", "to":
		return strings.Join(words[1:], " ")
	}
	return ""
}

func (t *teutonicaTaste) value(words []string) float64 {
	merchant := 0.0 // merchants are dear
	if len(words) > 1 && words[1] == "merchant" {
		merchant = 1
	}
	switch words[0] {
	case "route":
		return 200 + t.establish(words)
	case "use":
		return t.use(words)
	case "place", "answer", "place-two":
		return 60 + t.stand(postOf(words)) - 2*merchant
	case "to", "set":
		return 60 + t.stand(postOf(words))
	case "displace":
		return t.displace(strings.Join(words[2:], " ")) - 2*merchant
	case "income":
		if t.pieces <= 1 {
			return 90 + count(words)
		}
		return 5
	case "pay":
		return -count(words) - 2*float64(strings.Count(strings.Join(words, " "), "merchant"))
	case "favour-income":
		return 1 + merchant
	case "develop-privilege", "green-office":
		return 10
	case "lift": // pieces that stand alone before others; those of opponents off our routes
		return -float64(t.mine[routeOf(strings.Join(words[1:], " "))])
	case "remove":
		if t.mine[routeOf(strings.Join(words[1:], " "))] == 0 {
			return 1
		}
		return -1
	case "on":
		return -abs(float64(t.mine[strings.Join(words[1:], " ")]) - 1)
	case "pawn":
		if words[len(words)-1] == "action" {
			return -10
		}
		return 3
	case "move": // with nothing left to place, pieces that stand about are brought together
		if t.pieces == 0 && len(t.mine) > 1 {
			return 8
		}
		return -5
	case "favour":
		return -5
	}
	return 0 // end, finish, stop, decline, skip, flip, put-marker
}

// establish values a finished route: the marker on it, and what is done with it.
func (t *teutonicaTaste) establish(words []string) float64 {
	// A route may hold spaces, so what follows it is found by its word.
	at := slices.IndexFunc(words, func(word string) bool {
		return slices.Contains([]string{"none", "office", "develop", "extra", "prestige"}, word)
	})
	worth := 0.0
	if kind, ok := t.on[strings.Join(words[1:at], " ")]; ok {
		worth = 3
		if known, ok := markers[kind]; ok {
			worth = known
		}
	}
	switch words[at] {
	case "develop":
		worth += t.develop(words[at+1])
	case "office":
		worth += 9
	case "extra":
		worth += 7
	case "prestige":
		worth += 8 + count(words[at+1:])
	}
	return worth
}

func (t *teutonicaTaste) develop(ability string) float64 {
	worth := abilities[ability]
	for _, known := range t.me.Abilities {
		if known.Ability == ability {
			worth -= float64(known.Developed)
		}
	}
	return worth
}

// stand values a piece on a post: the nearer its route is to being ours, the better. Long routes need many turns.
func (t *teutonicaTaste) stand(post string) float64 {
	route := routeOf(post)
	worth := float64(6*t.mine[route] - 4*t.theirs[route] - 2*t.free[route])
	if t.on[route] != "" {
		worth += 2
	}
	return worth
}

// displace values pushing a piece away, which is worth its fee only to finish a route.
func (t *teutonicaTaste) displace(post string) float64 {
	route := routeOf(post)
	if t.mine[route] >= 2 && t.theirs[route] == 1 && t.free[route] == 0 && t.pieces >= 3 {
		return 85
	}
	return -10
}

// use values markers: more actions at once, abilities as soon as possible.
func (t *teutonicaTaste) use(words []string) float64 {
	switch words[1] {
	case "actions_3", "actions_4":
		if t.pieces >= 3 {
			return 98
		}
	case "develop_ability":
		return 98 + t.develop(words[2])
	}
	return -5 // swapping offices and moving pieces without a plan does as much harm as good
}

// count is how many pieces or points a text such as "income 2 traders 1 merchant" names.
func count(words []string) float64 {
	sum := 0
	for _, word := range words {
		if number, err := strconv.Atoi(word); err == nil {
			sum += number
		}
	}
	return float64(sum)
}

func abs(value float64) float64 {
	return max(value, -value)
}
