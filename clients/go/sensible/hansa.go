package sensible

import (
	"strconv"
	"strings"

	"hansa"
	"hansa/pb"
)

const largestUnsold = 3 // more goods are taken away at the end of a turn

// hansaTaste is what a seat likes in a position of Hansa (2004). All values are in points, more or less: a sold good is worth 1 and
// its barrels, an unsold one 1, a city with a booth 2, or 4 if nobody else is there.
type hansaTaste struct {
	seat    int32
	me      *pb.HansaView_Player
	ship    string
	cities  map[string]*pb.HansaView_City
	empty   int              // warehouses
	colours map[string]int32 // unsold goods by colour
	unsold  int32
}

func newHansaTaste(decision *hansa.Decision) *hansaTaste {
	view := decision.View.GetHansa()
	t := &hansaTaste{
		seat: decision.Seat, me: view.Players[decision.Seat], ship: view.Ship, cities: map[string]*pb.HansaView_City{}, colours: map[string]int32{},
	}
	for _, city := range view.Cities {
		t.cities[city.City] = city
		for _, good := range city.Warehouses {
			if good == "" {
				t.empty++
			}
		}
	}
	for _, goods := range t.me.Unsold {
		colour, _ := split(goods.Kind)
		t.colours[colour] += goods.Count
		t.unsold += goods.Count
	}
	return t
}

// split is the colour and the barrels of a good such as "orange 2".
func split(good string) (colour string, barrels float64) {
	colour, number, _ := strings.Cut(good, " ")
	value, _ := strconv.Atoi(number)
	return colour, float64(value)
}

func (t *hansaTaste) value(words []string) float64 {
	rest := strings.Join(words[1:], " ")
	switch words[0] {
	case "place":
		if t.mostOfOthers(rest) == 0 {
			return 2
		}
		return 1
	case "replenish":
		if t.empty >= 3 {
			return 1
		}
		return -1
	case "sell":
		_, barrels := split(rest)
		return 20 + barrels
	case "buy":
		return t.buy(rest, t.ship)
	case "build":
		return t.build(rest, t.ship)
	case "sail":
		return 0.8*t.visit(rest) - 0.5
	case "lose", "give":
		return -t.keep(rest)
	}
	return 0 // end, finish, skip
}

func (t *hansaTaste) booths(city string) int32 {
	return t.cities[city].GetBooths()[t.seat]
}

func (t *hansaTaste) mostOfOthers(city string) (most int32) {
	for seat, booths := range t.cities[city].GetBooths() {
		if int32(seat) != t.seat {
			most = max(most, booths)
		}
	}
	return most
}

// price of a good: nothing where we have more booths than anybody else.
func (t *hansaTaste) price(city string) int32 {
	if t.booths(city) > t.mostOfOthers(city) {
		return 0
	}
	return 1
}

// buy values a good: it makes a pair with others of its colour, and then it can be sold for all its barrels.
func (t *hansaTaste) buy(good, city string) float64 {
	colour, barrels := split(good)
	price := float64(t.price(city))
	if t.unsold >= largestUnsold && t.colours[colour] == 0 {
		return 0.2 - price
	}
	pair := 0.6 * barrels
	if t.colours[colour] > 0 {
		pair = 1 + barrels
	}
	return 1 + pair - 0.7*price
}

// build values booths: the first one in a city counts at the end and lets us sell there, the most of them make buying free.
func (t *hansaTaste) build(good, city string) float64 {
	if t.me.Booths == 0 {
		return -1
	}
	colour, barrels := split(good)
	own, others := t.booths(city), t.mostOfOthers(city)
	gain := 0.5
	switch {
	case own == 0 && others == 0:
		gain += 4
	case own == 0:
		gain += 2
	case own <= others && others < own+int32(barrels):
		gain += 1.5
	}
	loss := 1 + 0.5*barrels
	if t.colours[colour] >= 2 {
		loss = 1 + barrels
	}
	return gain - loss
}

// visit values the best that could be done in a city.
func (t *hansaTaste) visit(city string) float64 {
	best := 0.0
	if t.booths(city) > 0 {
		best = t.sale()
	}
	for _, good := range t.cities[city].GetWarehouses() {
		if good != "" && t.price(city) < t.me.Talers {
			best = max(best, t.buy(good, city))
		}
	}
	for _, goods := range t.me.Unsold {
		best = max(best, t.build(goods.Kind, city))
	}
	return best
}

// sale values selling every colour of which there are two or more.
func (t *hansaTaste) sale() (worth float64) {
	for _, goods := range t.me.Unsold {
		if colour, barrels := split(goods.Kind); t.colours[colour] >= 2 {
			worth += float64(goods.Count) * (1 + barrels)
		}
	}
	return worth
}

// keep values a good that may be lost.
func (t *hansaTaste) keep(good string) float64 {
	colour, barrels := split(good)
	if t.colours[colour] >= 2 {
		return 1 + barrels
	}
	return 1 + 0.4*barrels
}
