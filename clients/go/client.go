package hansa

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"hansa/pb"
)

const (
	firstDelay     = 200 * time.Millisecond // before the first attempt to connect again, doubled with each further one
	longestDelay   = 5 * time.Second
	steady         = time.Second      // after which a stream counts as a success, and delays begin anew
	usualKeepalive = 30 * time.Second // between pings, unless the server wants them further apart
	largestMessage = 64 << 20         // the history of a long match, with texts
	usualMatches   = 16
)

// hopeless are the ends of a stream after which trying again would not help.
var hopeless = map[codes.Code]string{
	codes.InvalidArgument:  "the server does not accept this bot",
	codes.Unauthenticated:  "the server does not accept the token",
	codes.PermissionDenied: "the token is not one of a bot",
	codes.Unimplemented:    "this is no Hansa server",
}

// Client connects a bot to a server and keeps it there: one stream for all matches, opened again whenever it breaks.
type Client struct {
	bot       Bot
	profile   Profile
	options   Options
	transport credentials.TransportCredentials
	log       *slog.Logger
	left      chan struct{} // closed by Leave
	playing   sync.WaitGroup

	mu        sync.Mutex // guards what follows, and the decisions of the tables
	tables    map[string]*table
	stream    *stream // the current one; nil while there is none
	keepalive time.Duration
	leaving   bool
	unheard   map[string]bool // matches the server has not named since the last reconnection
	toName    int32           // seats it will still name
}

// stream is one stream to the server. Answers know their stream, so that nothing is answered twice on one, and what the last one
// may have lost is sent again on the next.
type stream struct {
	outbox   *mailbox[*pb.PlayRequest]
	welcomed chan struct{} // closed when the server has greeted
	rate     int32         // messages a second the server takes; read only after welcomed
}

// letter is a message and when it came.
type letter struct {
	*pb.PlayResponse
	received time.Time
}

// NewClient checks the options; Run connects.
func NewClient(bot Bot, profile Profile, options Options) (*Client, error) {
	options, transport, err := options.filledIn()
	if err != nil {
		return nil, err
	}
	return &Client{
		bot: bot, profile: profile, options: options, transport: transport, log: options.Log, keepalive: usualKeepalive,
		left: make(chan struct{}), tables: map[string]*table{}, unheard: map[string]bool{},
	}, nil
}

// Run plays until Leave is called and the last match is over, or until the context ends: then at once, and the matches wait on the
// server as long as the clock allows. Its errors are those of the context, ErrRefused and ErrReplaced.
func (c *Client) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for attempt := 0; ; attempt++ {
		began := time.Now()
		problem := c.play(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.isDone() {
			c.playing.Wait()
			return nil
		}
		if err := c.judge(problem); err != nil {
			return err
		}
		if time.Since(began) > steady {
			attempt = 0
		}
		delay := backoff(attempt)
		c.log.Warn("no connection", "server", c.options.Server, "problem", problem, "next attempt in", delay.Round(time.Millisecond))
		if !c.sleep(ctx, delay) {
			return ctx.Err()
		}
	}
}

// Leave takes no new matches and lets Run return when those that run are over.
func (c *Client) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving {
		return
	}
	c.leaving = true
	close(c.left)
	if c.stream != nil {
		select {
		case <-c.stream.welcomed:
			c.stream.outbox.put(goodbye())
		default: // a hello is on its way and may bring a match: the goodbye follows the welcome
		}
	}
}

// RunningMatches is how many matches the bot plays.
func (c *Client) RunningMatches() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.tables)
}

func (c *Client) isDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaving && len(c.tables) == 0
}

// backoff is the delay before an attempt, drawn so that not all bots of a server come back in the same moment.
func backoff(attempt int) time.Duration {
	longest := min(longestDelay, firstDelay<<min(attempt, 10))
	return longest/2 + rand.N(longest/2)
}

// sleep waits, but not for a connection that is not wanted any more; false when there is nothing left to do.
func (c *Client) sleep(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	left := c.left
	for {
		select {
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		case <-left:
			if c.isDone() {
				return false
			}
			left = nil
		}
	}
}

// judge says what cannot be helped about the end of a stream; nil if trying again may help.
func (c *Client) judge(problem error) error {
	found, _ := status.FromError(problem)
	if found.Code() == codes.Aborted {
		return fmt.Errorf("%w: %s", ErrReplaced, found.Message())
	}
	why, ok := hopeless[found.Code()]
	if !ok {
		return nil
	}
	hint := ""
	if found.Code() == codes.Unauthenticated && c.options.Token == "" {
		hint = "; give it with --token-file or HANSA_TOKEN"
	}
	return fmt.Errorf("%w: %s: %s: %s%s", ErrRefused, c.options.Server, why, found.Message(), hint)
}

// play opens a stream, plays on it, and returns why it ended.
func (c *Client) play(ctx context.Context) error {
	streamCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	connection, err := c.connect()
	if err != nil {
		return err
	}
	defer connection.Close()
	if c.options.Token != "" {
		streamCtx = metadata.AppendToOutgoingContext(streamCtx, "authorization", "Bearer "+c.options.Token)
	}
	call, err := pb.NewPlayServiceClient(connection).Play(streamCtx)
	if err != nil {
		return err
	}
	current := &stream{outbox: newMailbox[*pb.PlayRequest](), welcomed: make(chan struct{})}
	if err := call.Send(c.hello()); err != nil && !errors.Is(err, io.EOF) { // EOF: Recv knows why
		return err
	}
	go current.write(streamCtx, call)
	c.mu.Lock()
	c.stream = current
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.stream = nil
		c.mu.Unlock()
	}()
	for {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("the stream was closed")
		}
		if err != nil {
			return err
		}
		c.take(ctx, letter{message, time.Now()})
	}
}

// connect makes a connection of its own for every attempt, so that no delay of an older one is waited for.
func (c *Client) connect() (*grpc.ClientConn, error) {
	c.mu.Lock()
	pings := c.keepalive
	c.mu.Unlock()
	dial := []grpc.DialOption{
		grpc.WithTransportCredentials(c.transport),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pings, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestMessage)),
	}
	if host, _, _ := net.SplitHostPort(c.options.Server); isLoopback(host) {
		dial = append(dial, grpc.WithNoProxy())
	}
	return grpc.NewClient(c.options.Server, dial...)
}

// write sends what is in the outbox, no faster than the server takes it.
func (s *stream) write(ctx context.Context, call grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]) {
	select {
	case <-s.welcomed:
	case <-ctx.Done():
		return
	}
	free := time.Now() // when the next message may go
	for {
		message, ok := s.outbox.take(ctx)
		if !ok {
			return
		}
		if s.rate > 0 {
			now := time.Now()
			if burst := now.Add(-time.Second / 2); free.Before(burst) { // half a second's worth may go at once
				free = burst
			}
			free = free.Add(time.Second / time.Duration(s.rate))
			time.Sleep(free.Sub(now))
		}
		if call.Send(message) != nil {
			return // the stream is over; whoever reads it learns why
		}
	}
}

// take takes in a message. What a newer server may say beyond what is known here is passed over. The context is that of all streams.
func (c *Client) take(ctx context.Context, message letter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := message.Message.(type) {
	case *pb.PlayResponse_Welcome:
		c.welcome(m.Welcome)
	case *pb.PlayResponse_Notice:
		c.log.Warn("the server says: " + m.Notice.Text)
	case *pb.PlayResponse_MatchStarted:
		id := m.MatchStarted.MatchId
		delete(c.unheard, id)
		c.seat(ctx, id).inbox.put(message)
		c.toName--
		c.forgetUnheard()
	case *pb.PlayResponse_DecisionRequest:
		c.ask(ctx, m.DecisionRequest, message)
	case *pb.PlayResponse_MatchEvents:
		c.pass(m.MatchEvents.MatchId, message)
	case *pb.PlayResponse_AnswerRejected:
		c.pass(m.AnswerRejected.MatchId, message)
	case *pb.PlayResponse_MatchEnded:
		c.end(m.MatchEnded.MatchId, message)
	}
}

func (c *Client) welcome(welcome *pb.Welcome) {
	c.log.Info("connected", "server", c.options.Server, "name", welcome.Name)
	c.keepalive = max(usualKeepalive, welcome.GetMinKeepalive().AsDuration()*3/2)
	for id := range c.tables {
		c.unheard[id] = true
	}
	c.toName = welcome.OpenSeats
	c.forgetUnheard()
	if c.leaving {
		c.stream.outbox.put(goodbye())
	}
	select {
	case <-c.stream.welcomed: // a second welcome changes nothing
	default:
		c.stream.rate = welcome.MaxMessagesPerSecond
		close(c.stream.welcomed)
	}
}

// seat is the table of a match, which is set up if there is none yet.
func (c *Client) seat(ctx context.Context, id string) *table {
	found := c.tables[id]
	if found == nil {
		found = newTable(c, id)
		c.tables[id] = found
		c.playing.Go(func() { found.run(ctx) })
	}
	return found
}

// pass hands a message to the table of its match.
func (c *Client) pass(id string, message letter) {
	if found := c.tables[id]; found != nil {
		found.inbox.put(message)
	} else {
		c.log.Info("passing over a message about a match that this bot does not play", "match", id)
	}
}

// ask hands a decision to the bot, unless its answer is known already or comes as soon as it is.
func (c *Client) ask(ctx context.Context, request *pb.DecisionRequest, message letter) {
	found := c.seat(ctx, request.MatchId)
	decision := &found.decision
	switch {
	case decision.asked == nil || request.Sequence > decision.sequence:
		*decision = openDecision{sequence: request.Sequence, asked: c.stream}
		found.interrupt(request.Sequence)
		found.inbox.put(message)
	case request.Sequence == decision.sequence:
		decision.asked = c.stream
		c.send(decision)
	}
}

func (c *Client) end(id string, message letter) {
	if found := c.tables[id]; found != nil {
		delete(c.tables, id)
		delete(c.unheard, id)
		found.interrupt(math.MaxInt32)
		found.inbox.put(message)
	}
}

// forgetUnheard ends the matches the server does not know any more, once it has named all that are open.
func (c *Client) forgetUnheard() {
	if c.toName > 0 {
		return
	}
	for id := range c.unheard {
		ended := &pb.PlayResponse_MatchEnded{MatchEnded: &pb.MatchEnded{MatchId: id}}
		c.end(id, letter{&pb.PlayResponse{Message: ended}, time.Now()})
	}
}

// reply keeps an answer to a decision and sends it. After a rejection the decision is still open on the same stream.
func (c *Client) reply(found *table, sequence int32, answer *pb.PlayRequest, rejected bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	decision := &found.decision
	if c.tables[found.id] != found || decision.sequence != sequence {
		return // it took too long: the match is over or has gone on
	}
	decision.answer = answer
	if rejected {
		decision.sent = nil
	}
	c.send(decision)
}

// send sends an answer, if this stream asked for it and has not got it yet.
func (c *Client) send(decision *openDecision) {
	if decision.answer != nil && c.stream != nil && decision.sent != c.stream && decision.asked == c.stream {
		decision.sent = c.stream
		c.stream.outbox.put(decision.answer)
	}
}

func (c *Client) hello() *pb.PlayRequest {
	profile, options := c.profile, c.options
	hello := &pb.Hello{
		Name: options.Name, Version: profile.Version, Games: slices.Clone(profile.Games), MaxMatches: usualMatches,
		ViewFormat: pb.ViewFormat_VIEW_FORMAT_MESSAGE, Texts: true,
	}
	if hello.Name == "" && options.Token == "" { // with a token the token's name counts
		hello.Name = profile.Name
	}
	for _, wanted := range []int{profile.MaxMatches, options.MaxMatches} {
		if wanted > 0 {
			hello.MaxMatches = int32(wanted)
		}
	}
	if profile.IDsOnly {
		hello.ViewFormat, hello.Texts = pb.ViewFormat_VIEW_FORMAT_UNSPECIFIED, false
	}
	if _, listens := c.bot.(ActionListener); !listens {
		hello.EventDelivery = pb.EventDelivery_EVENT_DELIVERY_WITH_DECISIONS
	}
	return &pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: hello}}
}

func goodbye() *pb.PlayRequest {
	return &pb.PlayRequest{Message: &pb.PlayRequest_Goodbye{Goodbye: &pb.Goodbye{}}}
}
