package main

import (
	"context"
	"fmt"
	"os"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/node"
)

// startBoard starts `berth board` with an administrator's rights, and lets browsers outside of the
// namespaces reach it. Its URL is that of the listener outside: the board answers at any port of
// loopback. Without Berth's program there is no board.
func (s *show) startBoard(ctx context.Context) error {
	if _, missing := os.Stat(node.BuiltBerth()); missing != nil {
		return s.outside.Close()
	}
	board, err := s.box.NewBoardOf(node.BuiltBerth(), s.box.Kubeconfig)
	if err != nil {
		return err
	}
	if err := board.Start(ctx); err != nil {
		return err
	}
	s.board = board
	s.relay = box.Relay(s.outside, fmt.Sprintf("127.0.0.1:%d", board.Port))
	s.boardURL, err = board.URLAt(s.relay.Address())
	return err
}

// watchBoard returns when the show is to end, and says so if the board ends before.
func (s *show) watchBoard(ctx context.Context) {
	var ended <-chan struct{} // never, where there is none
	if s.board != nil {
		ended = s.board.Ended()
	}
	select {
	case <-ctx.Done():
	case <-ended:
		if ctx.Err() != nil {
			return // it was ended with everything else
		}
		s.relay.Stop()
		fmt.Fprintf(s.out, "\nthe board has ended, and its address is of no use any more; %s ends "+
			"with:\n%s\n", s.board.LogFile, s.board.LastWords())
		<-ctx.Done()
	}
}
