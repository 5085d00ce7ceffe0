package hansa

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Main is the main function of a bot: it plays until Ctrl-C.
//
// The first Ctrl-C (or SIGTERM) says goodbye: no new matches, those that run are played to their end. The second one ends at once.
func Main(bot Bot, profile Profile, options *Options) {
	client, err := NewClient(bot, profile, *options)
	if err != nil {
		fail(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		slog.Info("goodbye; once more to end at once", "matches to finish", client.RunningMatches())
		client.Leave()
		<-signals
		cancel()
	}()
	if err := client.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fail(err)
	}
}

func fail(err error) {
	slog.Error(err.Error())
	os.Exit(1)
}
