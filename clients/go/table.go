package hansa

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"hansa/pb"
)

const mostComment = 280 // characters

// openDecision is the newest decision of a match. The client's lock guards it.
type openDecision struct {
	sequence int32
	asked    *stream // that asked last
	answer   *pb.PlayRequest
	sent     *stream // that got the answer
}

// table is a match with what is needed to answer. A bot that plays against itself has several seats at it.
type table struct {
	client   *Client
	id       string
	inbox    *mailbox[letter]
	decision openDecision

	mu     sync.Mutex
	newest int32              // sequence of the newest decision; nobody waits for older ones
	cancel context.CancelFunc // ends what is being thought about; nil while nothing is

	// Only the table's own goroutine knows these.
	seats    map[int32]*Match
	history  []*pb.PlayedAction
	sequence int32 // of the newest decision
	legal    []Action
	tried    map[int32]bool // ids that were answered to it
}

func newTable(client *Client, id string) *table {
	return &table{client: client, id: id, inbox: newMailbox[letter](), seats: map[int32]*Match{}, sequence: -1}
}

// interrupt ends what is being thought about, or will be, about decisions before this one, since nobody waits for it.
func (t *table) interrupt(newest int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.newest = newest
	if t.cancel != nil {
		t.cancel()
	}
}

// run takes in one message after the other, to the end of the match.
func (t *table) run(ctx context.Context) {
	for {
		message, ok := t.inbox.take(ctx)
		if !ok {
			return
		}
		switch m := message.Message.(type) {
		case *pb.PlayResponse_MatchStarted:
			t.start(m.MatchStarted)
		case *pb.PlayResponse_MatchEvents:
			t.hear(m.MatchEvents)
		case *pb.PlayResponse_DecisionRequest:
			t.decide(ctx, m.DecisionRequest, message.received)
		case *pb.PlayResponse_AnswerRejected:
			t.tryAgain(m.AnswerRejected)
		case *pb.PlayResponse_MatchEnded:
			t.end(m.MatchEnded)
			return
		}
	}
}

func (t *table) start(message *pb.MatchStarted) {
	news := t.takeUp(message.History)
	if t.seats[message.Seat] != nil {
		t.client.log.Info("match goes on", "match", t.id, "actions", len(t.history))
		t.tell(news)
		return
	}
	match := &Match{
		ID: t.id, Seat: message.Seat, Rules: message.Rules, Players: message.Players, Clock: message.Clock, History: t.history,
		Forfeits: map[int32]pb.ForfeitReason{},
	}
	t.seats[message.Seat] = match
	t.client.log.Info("match begins", "match", t.id, "game", message.Rules.GetGame(), "seat", message.Seat, "players", message.Players)
	if bot, ok := t.client.bot.(MatchStarter); ok {
		t.call(func() { bot.MatchStarted(match) })
	}
}

func (t *table) hear(message *pb.MatchEvents) {
	for _, forfeit := range message.Forfeits {
		for _, match := range t.seats {
			match.Forfeits[forfeit.Seat] = forfeit.Reason
		}
		if t.seats[forfeit.Seat] != nil {
			t.client.log.Error("seat is forfeited", "match", t.id, "seat", forfeit.Seat, "reason", forfeit.Reason)
		}
	}
	t.tell(t.takeUp(message.Actions))
}

func (t *table) decide(ctx context.Context, request *pb.DecisionRequest, received time.Time) {
	t.tell(t.takeUp(request.Events))
	t.sequence, t.legal, t.tried = request.Sequence, legalActions(request), map[int32]bool{}
	match := t.seats[request.Seat]
	if match == nil {
		match = &Match{ID: t.id, Seat: request.Seat, History: t.history, Forfeits: map[int32]pb.ForfeitReason{}}
	}
	decision := &Decision{
		Match: match, Seat: request.Seat, Sequence: request.Sequence, Phase: request.Phase, Legal: slices.Clone(t.legal),
		View: request.GetView(), Clock: request.Clock, received: received,
	}
	choice, err := t.choose(ctx, decision)
	if errors.Is(err, ErrResign) {
		resign := &pb.PlayRequest_Resign{Resign: &pb.Resign{MatchId: t.id}}
		t.client.reply(t, request.Sequence, &pb.PlayRequest{Message: resign}, false)
		return
	}
	if err != nil {
		other := t.legal[rand.IntN(len(t.legal))]
		choice = Choice{Action: other.ID}
		t.client.log.Error("Choose failed, another action is played", "match", t.id, "sequence", t.sequence, "phase", request.Phase,
			"error", err, "action", other.ID, "text", other.Text)
	}
	t.answer(choice, false)
}

// choose asks the bot, with the clock as the context's deadline.
func (t *table) choose(ctx context.Context, decision *Decision) (choice Choice, err error) {
	var cancel context.CancelFunc
	if decision.Clock.GetDecision() != nil {
		ctx, cancel = context.WithTimeout(ctx, decision.Left())
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	t.setCancel(cancel)
	if decision.Sequence < t.newestDecision() {
		cancel()
	}
	defer func() {
		t.setCancel(nil)
		cancel()
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	choice, err = t.client.bot.Choose(ctx, decision)
	if err == nil && !slices.ContainsFunc(t.legal, func(action Action) bool { return action.ID == choice.Action }) {
		err = fmt.Errorf("%w: %d is none of the %d legal ones", ErrIllegal, choice.Action, len(t.legal))
	}
	return choice, err
}

func (t *table) setCancel(cancel context.CancelFunc) {
	t.mu.Lock()
	t.cancel = cancel
	t.mu.Unlock()
}

func (t *table) newestDecision() int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.newest
}

// tryAgain answers otherwise after an answer was refused. It was checked before it was sent, so the server knows better.
func (t *table) tryAgain(message *pb.AnswerRejected) {
	problem := message.Problem
	isOpen := problem == pb.AnswerProblem_ANSWER_PROBLEM_ILLEGAL_ACTION || problem == pb.AnswerProblem_ANSWER_PROBLEM_MALFORMED
	if message.Sequence != t.sequence || !isOpen {
		t.client.log.Info("answer not taken", "match", t.id, "sequence", message.Sequence, "why", message.Explanation)
		return
	}
	t.client.log.Error("answer refused", "match", t.id, "sequence", message.Sequence, "why", message.Explanation)
	rest := slices.DeleteFunc(slices.Clone(t.legal), func(action Action) bool { return t.tried[action.ID] })
	if len(rest) > 0 {
		t.answer(Choice{Action: rest[rand.IntN(len(rest))].ID}, true)
	}
}

func (t *table) answer(choice Choice, rejected bool) {
	t.tried[choice.Action] = true
	comment := []rune(choice.Comment)
	answer := &pb.Answer{
		MatchId: t.id, Sequence: t.sequence, Choice: &pb.Answer_Action{Action: choice.Action}, Evaluation: choice.Evaluation,
		Comment: string(comment[:min(len(comment), mostComment)]),
	}
	t.client.reply(t, t.sequence, &pb.PlayRequest{Message: &pb.PlayRequest_Answer{Answer: answer}}, rejected)
}

func (t *table) end(message *pb.MatchEnded) {
	for _, match := range t.seats {
		seats := message.GetResult().GetSeats()
		if message.Result == nil {
			t.client.log.Info("match ended while the bot was away", "match", t.id)
		} else if int(match.Seat) < len(seats) {
			mine := seats[match.Seat]
			t.client.log.Info("match is over", "match", t.id, "seat", match.Seat, "points", mine.Total, "place", mine.Rank)
		}
		if bot, ok := t.client.bot.(MatchEnder); ok {
			t.call(func() { bot.MatchEnded(match, message.Result) })
		}
	}
}

// takeUp adds actions to the history and returns those that were not there before.
func (t *table) takeUp(actions []*pb.PlayedAction) []*pb.PlayedAction {
	known := len(t.history)
	for _, action := range actions {
		if int(action.Sequence) >= len(t.history) {
			t.history = append(t.history, action)
		}
	}
	for _, match := range t.seats {
		match.History = t.history
	}
	return t.history[known:]
}

func (t *table) tell(news []*pb.PlayedAction) {
	bot, ok := t.client.bot.(ActionListener)
	if !ok || len(news) == 0 {
		return
	}
	for _, match := range t.seats {
		t.call(func() { bot.ActionsPlayed(match, news) })
	}
}

// call calls something of the bot's; if it panics the match goes on.
func (t *table) call(hook func()) {
	defer func() {
		if panicked := recover(); panicked != nil {
			t.client.log.Error("the bot panicked", "match", t.id, "panic", panicked)
		}
	}()
	hook()
}

func legalActions(request *pb.DecisionRequest) []Action {
	legal := make([]Action, len(request.LegalActions))
	for i, id := range request.LegalActions {
		legal[i].ID = id
		if i < len(request.LegalTexts) {
			legal[i].Text = request.LegalTexts[i]
		}
	}
	return legal
}
