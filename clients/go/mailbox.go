package hansa

import (
	"context"
	"sync"
)

// mailbox is a queue without an end: whoever reads the stream must not wait for a bot that thinks.
type mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	ready chan struct{}
}

func newMailbox[T any]() *mailbox[T] {
	return &mailbox[T]{ready: make(chan struct{}, 1)}
}

func (m *mailbox[T]) put(item T) {
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default: // somebody was woken already
	}
}

// take waits for the next item; false when the context ends first. Only one goroutine may take.
func (m *mailbox[T]) take(ctx context.Context) (item T, ok bool) {
	for {
		m.mu.Lock()
		if len(m.items) > 0 {
			item, m.items = m.items[0], m.items[1:]
			m.mu.Unlock()
			return item, true
		}
		m.mu.Unlock()
		select {
		case <-m.ready:
		case <-ctx.Done():
			return item, false
		}
	}
}
