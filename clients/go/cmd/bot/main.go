// Command bot plays the Hansa board games on a server: the example bots of this kit.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"hansa"
	"hansa/sensible"
)

// random plays any legal action, all alike.
type random struct{}

func (random) Choose(_ context.Context, decision *hansa.Decision) (hansa.Choice, error) {
	return hansa.Choice{Action: decision.Legal[rand.IntN(len(decision.Legal))].ID}, nil
}

func main() {
	which := flag.String("bot", "sensible", "`random` or sensible")
	options := hansa.OptionFlags(flag.CommandLine)
	flag.Parse()
	switch *which {
	case "random":
		hansa.Main(random{}, hansa.Profile{Name: "go-random", Version: "1", MaxMatches: 256, IDsOnly: true}, options)
	case "sensible":
		hansa.Main(sensible.Bot{}, hansa.Profile{Name: "go-sensible", Version: "1", MaxMatches: 256}, options)
	default:
		fmt.Fprintf(os.Stderr, "--bot must be random or sensible, not %q\n", *which)
		os.Exit(2)
	}
}
