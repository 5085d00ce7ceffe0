// Package hansa is the Go kit for bots that play the Hansa board games: connecting, reconnecting, clocks and many matches at once
// are taken care of. A bot is one method:
//
//	type firstBot struct{}
//
//	func (firstBot) Choose(ctx context.Context, decision *hansa.Decision) (hansa.Choice, error) {
//		return hansa.Choice{Action: decision.Legal[0].ID}, nil
//	}
//
// Positions, rules and results are the messages of the wire contract (package hansa/pb) as they are: they are read only, and a copy
// of them under other names would help nobody.
package hansa

import (
	"context"
	"time"

	"hansa/pb"
)

// Bot decides. It may also be a [MatchStarter], an [ActionListener] and a [MatchEnder].
//
// Calls about one match come one after the other; those of different matches come at the same time, from goroutines of their own.
type Bot interface {
	// Choose picks one of the legal actions. The context ends when the clock has run out, and when nobody waits for the answer any
	// more. On any error but ErrResign, and on a panic, another legal action is played instead and the error is logged.
	Choose(ctx context.Context, decision *Decision) (Choice, error)
}

// MatchStarter hears of matches that begin. The history of a match that the bot comes into later is not empty.
type MatchStarter interface {
	MatchStarted(match *Match)
}

// ActionListener hears at once of what was played, the bot's own actions included. Match.History has it anyway.
type ActionListener interface {
	ActionsPlayed(match *Match, actions []*pb.PlayedAction)
}

// MatchEnder hears how matches came out; result is nil if the match ended while the bot was not connected.
type MatchEnder interface {
	MatchEnded(match *Match, result *pb.Result)
}

// Profile is how a bot introduces itself.
type Profile struct {
	Name       string   // 1 to 64 letters, digits, and any of "._-"; with a token, the token's name counts
	Version    string   // for records and ratings
	Games      []string // games it plays, such as "hansa"; empty for all
	MaxMatches int      // at once; 0 stands for 16
	IDsOnly    bool     // wants neither positions nor texts: less is sent
}

// Match is a match that the bot plays.
type Match struct {
	ID       string
	Seat     int32                      // where the bot sits, from 0
	Rules    *pb.Rules                  // the options, all filled in
	Players  []string                   // names by seat; empty names when the opponents are kept secret
	Clock    *pb.ClockRules             // how time is counted
	History  []*pb.PlayedAction         // everything played so far
	Forfeits map[int32]pb.ForfeitReason // seats given up, and why
	Data     any                        // the bot's own notes on this match
}

// Action is a legal action: its id and what it means in words.
type Action struct {
	ID   int32
	Text string
}

// Decision is what a bot has to decide.
type Decision struct {
	Match    *Match
	Seat     int32          // the seat that decides: one of the bot's, which may have several in a match
	Sequence int32          // how many actions were played before
	Phase    string         // what is being decided
	Legal    []Action       // all legal actions, by id; at least two
	View     *pb.View       // the position as this seat sees it; nil with Profile.IDsOnly
	Clock    *pb.ClockState // what was left when the bot was asked

	received time.Time
}

// Left is the time that is left for this decision now; without a limit it is as good as endless.
func (d *Decision) Left() time.Duration {
	if d.Clock.GetDecision() == nil {
		return time.Duration(1<<63 - 1)
	}
	return max(0, d.Clock.Decision.AsDuration()-time.Since(d.received))
}

// Choice is a decision of a bot, with something for spectators if it likes.
type Choice struct {
	Action     int32     // the id of a legal action
	Evaluation []float32 // what each seat is expected to score, by seat
	Comment    string    // at most 280 characters are kept
}
