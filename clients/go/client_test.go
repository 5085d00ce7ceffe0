package hansa

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"hansa/pb"
)

// scripted is a server of the real contract that does on each stream what the test says.
type scripted struct {
	pb.UnimplementedPlayServiceServer
	script func(stream pb.PlayService_PlayServer) error
}

func (s *scripted) Play(stream pb.PlayService_PlayServer) error { return s.script(stream) }

// listen starts a server on a free port and returns its address.
func listen(t *testing.T, script func(stream pb.PlayService_PlayServer) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterPlayServiceServer(server, &scripted{script: script})
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// chooser is a bot out of a function.
type chooser func(ctx context.Context, decision *Decision) (Choice, error)

func (c chooser) Choose(ctx context.Context, decision *Decision) (Choice, error) {
	return c(ctx, decision)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func newClient(t *testing.T, bot Bot, options Options) *Client {
	t.Helper()
	options.Log = quiet()
	client, err := NewClient(bot, Profile{Name: "tested"}, options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func greet(t *testing.T, stream pb.PlayService_PlayServer, seats int32) {
	t.Helper()
	if hello := receive(t, stream).GetHello(); hello.GetName() != "tested" {
		t.Errorf("the first message is no hello of this bot: %v", hello)
	}
	send(stream, &pb.PlayResponse{Message: &pb.PlayResponse_Welcome{Welcome: &pb.Welcome{Name: "tested", OpenSeats: seats}}})
}

func receive(t *testing.T, stream pb.PlayService_PlayServer) *pb.PlayRequest {
	t.Helper()
	message, err := stream.Recv()
	if err != nil {
		t.Errorf("nothing received: %v", err)
		return &pb.PlayRequest{}
	}
	return message
}

func send(stream pb.PlayService_PlayServer, messages ...*pb.PlayResponse) {
	for _, message := range messages {
		_ = stream.Send(message)
	}
}

func started(id string) *pb.PlayResponse {
	return &pb.PlayResponse{Message: &pb.PlayResponse_MatchStarted{MatchStarted: &pb.MatchStarted{MatchId: id, Rules: &pb.Rules{Game: "hansa"}}}}
}

func asked(id string, sequence int32, seconds int64) *pb.PlayResponse {
	request := &pb.DecisionRequest{
		MatchId: id, Sequence: sequence, LegalActions: []int32{4, 5, 6},
		Clock: &pb.ClockState{Decision: &durationpb.Duration{Seconds: seconds}},
	}
	return &pb.PlayResponse{Message: &pb.PlayResponse_DecisionRequest{DecisionRequest: request}}
}

func ended(id string) *pb.PlayResponse {
	return &pb.PlayResponse{Message: &pb.PlayResponse_MatchEnded{MatchEnded: &pb.MatchEnded{MatchId: id, Result: &pb.Result{}}}}
}

func run(t *testing.T, client *Client) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return client.Run(ctx)
}

func TestAnAnswerIsSentAgainOnANewStream(t *testing.T) {
	streams, chosen := 0, 0
	var client *Client
	address := listen(t, func(stream pb.PlayService_PlayServer) error {
		streams++
		greet(t, stream, 1)
		send(stream, started("m"), asked("m", 0, 60))
		answer := receive(t, stream).GetAnswer()
		if answer.GetAction() != 5 || answer.GetSequence() != 0 {
			t.Errorf("stream %d: %v", streams, answer)
		}
		if streams == 1 {
			return status.Error(codes.Unavailable, "cut")
		}
		send(stream, ended("m"))
		client.Leave()
		if receive(t, stream).GetGoodbye() == nil {
			t.Error("no goodbye")
		}
		return nil
	})
	client = newClient(t, chooser(func(context.Context, *Decision) (Choice, error) {
		chosen++
		return Choice{Action: 5}, nil
	}), Options{Server: address})
	if err := run(t, client); err != nil {
		t.Fatal(err)
	}
	if streams != 2 || chosen != 1 {
		t.Errorf("%d streams, %d calls of Choose", streams, chosen)
	}
}

func TestMistakesOfABotCostOneDecision(t *testing.T) {
	mistakes := []func() (Choice, error){
		func() (Choice, error) { return Choice{}, errors.New("no idea") },
		func() (Choice, error) { panic("no idea at all") },
		func() (Choice, error) { return Choice{Action: 1023}, nil },
	}
	var client *Client
	address := listen(t, func(stream pb.PlayService_PlayServer) error {
		greet(t, stream, 0)
		send(stream, started("m"))
		for sequence := range int32(len(mistakes)) {
			send(stream, asked("m", sequence, 60))
			answer := receive(t, stream).GetAnswer()
			if answer.GetSequence() != sequence || answer.GetAction() < 4 || answer.GetAction() > 6 {
				t.Errorf("decision %d: %v", sequence, answer)
			}
		}
		send(stream, asked("m", 9, 60))
		if receive(t, stream).GetResign().GetMatchId() != "m" {
			t.Error("the match is not given up")
		}
		send(stream, ended("m"))
		client.Leave()
		return nil
	})
	client = newClient(t, chooser(func(_ context.Context, decision *Decision) (Choice, error) {
		if decision.Sequence == 9 {
			return Choice{}, ErrResign
		}
		return mistakes[decision.Sequence]()
	}), Options{Server: address})
	if err := run(t, client); err != nil {
		t.Fatal(err)
	}
}

func TestTheContextEndsWithTheClockAndWithTheMatch(t *testing.T) {
	whys := make(chan error, 2)
	var client *Client
	address := listen(t, func(stream pb.PlayService_PlayServer) error {
		greet(t, stream, 0)
		send(stream, started("short"), asked("short", 0, 0))
		receive(t, stream)
		send(stream, ended("short"), started("long"), asked("long", 0, 600), ended("long"))
		client.Leave()
		receive(t, stream)
		return nil
	})
	client = newClient(t, chooser(func(ctx context.Context, _ *Decision) (Choice, error) {
		<-ctx.Done()
		whys <- ctx.Err()
		return Choice{}, ctx.Err()
	}), Options{Server: address})
	if err := run(t, client); err != nil {
		t.Fatal(err)
	}
	if first, second := <-whys, <-whys; !errors.Is(first, context.DeadlineExceeded) || !errors.Is(second, context.Canceled) {
		t.Errorf("%v, %v", first, second)
	}
}

func TestWhatCannotBeHelpedEndsTheRun(t *testing.T) {
	for code, want := range map[codes.Code]error{
		codes.Aborted: ErrReplaced, codes.Unauthenticated: ErrRefused, codes.PermissionDenied: ErrRefused, codes.InvalidArgument: ErrRefused,
	} {
		address := listen(t, func(pb.PlayService_PlayServer) error { return status.Error(code, "no") })
		client := newClient(t, chooser(nil), Options{Server: address})
		if err := run(t, client); !errors.Is(err, want) {
			t.Errorf("%v: %v", code, err)
		}
	}
}

func TestLeavingWithoutAServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	client := newClient(t, chooser(nil), Options{Server: listener.Addr().String()})
	time.AfterFunc(300*time.Millisecond, client.Leave)
	if err := run(t, client); err != nil {
		t.Error(err)
	}
}

func TestDelaysGrowAndHaveAnEnd(t *testing.T) {
	for attempt, longest := range map[int]time.Duration{0: firstDelay, 1: 2 * firstDelay, 3: 8 * firstDelay, 5: longestDelay, 1000: longestDelay} {
		for range 100 {
			if delay := backoff(attempt); delay < longest/2 || delay > longest {
				t.Errorf("attempt %d: %v", attempt, delay)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	folder := t.TempDir()
	token, two := filepath.Join(folder, "token"), filepath.Join(folder, "two")
	os.WriteFile(token, []byte("secret\n"), 0o600)
	os.WriteFile(two, []byte("one two\n"), 0o600)
	t.Setenv("HANSA_SERVER", "")
	t.Setenv("HANSA_TOKEN", "")
	wrong := map[string]Options{
		"no port":                  {Server: "localhost"},
		"no number":                {Server: "localhost:http"},
		"negative":                 {MaxMatches: -1},
		"half a pair":              {TLSCert: "cert.pem"},
		"no such file":             {TokenFile: filepath.Join(folder, "none")},
		"two tokens":               {TokenFile: two},
		"a token in the open":      {Server: "example.org:7717", TokenFile: token},
		"no such authority":        {TLSCA: filepath.Join(folder, "none")},
		"a file without authority": {TLSCA: token},
	}
	for what, options := range wrong {
		if _, err := NewClient(chooser(nil), Profile{}, options); !errors.Is(err, ErrOption) {
			t.Errorf("%s: %v", what, err)
		}
	}
	right := map[string]Options{
		"nothing":                 {},
		"a token on this machine": {Server: "[::1]:7717", TokenFile: token},
		"a token on its own name": {Server: "localhost:7717", TokenFile: token},
		"a token that is hidden":  {Server: "example.org:7717", TokenFile: token, TLS: true},
		"somebody else, unhidden": {Server: "example.org:7717"},
	}
	for what, options := range right {
		if _, err := NewClient(chooser(nil), Profile{}, options); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	t.Setenv("HANSA_SERVER", "localhost:1")
	t.Setenv("HANSA_TOKEN", "secret")
	filled, _, err := Options{}.filledIn()
	if err != nil || filled.Server != "localhost:1" || filled.Token != "secret" {
		t.Errorf("%v, %v", filled, err)
	}
}
