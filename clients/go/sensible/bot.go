// Package sensible is an example of a bot: every action has a value, the best one is played. No look ahead, no rules engine.
//
// To try an idea of your own, change what actions are worth in teutonica.go and hansa.go.
package sensible

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"hansa"
)

// Bot plays the action it likes best; among equals, any.
type Bot struct{}

// taste says how good an action is; its text in words.
type taste interface {
	value(words []string) float64
}

// Choose picks the action of the highest value.
func (Bot) Choose(_ context.Context, decision *hansa.Decision) (hansa.Choice, error) {
	var likes taste
	switch {
	case decision.View.GetTeutonica() != nil:
		likes = newTeutonicaTaste(decision)
	case decision.View.GetHansa() != nil:
		likes = newHansaTaste(decision)
	default:
		return hansa.Choice{}, errors.New("a game that this bot does not know")
	}
	var best []hansa.Action
	var most float64
	for _, action := range decision.Legal {
		value := likes.value(strings.Fields(action.Text))
		if len(best) == 0 || value > most {
			best, most = best[:0], value
		}
		if value == most {
			best = append(best, action)
		}
	}
	return hansa.Choice{Action: best[rand.IntN(len(best))].ID}, nil
}
