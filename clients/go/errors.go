package hansa

import "errors"

var (
	// ErrResign gives a match up when Choose returns it.
	ErrResign = errors.New("the bot gives the match up")
	// ErrOption is an option that cannot be, or options that do not go together.
	ErrOption = errors.New("option")
	// ErrRefused says that the server does not let this bot in, and that trying again would not help.
	ErrRefused = errors.New("refused")
	// ErrReplaced says that another process plays under the same name or token.
	ErrReplaced = errors.New("another process plays as this bot now")
	// ErrIllegal says that Choose returned no legal action.
	ErrIllegal = errors.New("no legal action")
)
