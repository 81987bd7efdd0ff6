package main

import (
	"context"
	"fmt"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/figures"
)

// How answers are asked for.
const (
	backToBack = "back to back"
	newShapes  = "back to back, every pod of a new shape"
)

// ask has Berth and the extender that echoes answer in turn, without a pause.
func (b *bench) ask(ctx context.Context) error {
	all, err := b.allSeries()
	if err != nil {
		return err
	}
	for _, s := range all { // connections, caches
		if err := s.round(ctx, len(s.bodies)); err != nil {
			return err
		}
		s.Rounds = nil
	}
	for i := range b.rounds {
		for _, turn := range figures.Order(i, len(all)) {
			if err := all[turn].round(ctx, b.requests); err != nil {
				return err
			}
		}
		fmt.Fprintf(b.progress, "round %d of %d\n", i+1, b.rounds)
	}
	for _, s := range all {
		b.report.Answers = append(b.report.Answers, s.answers)
	}
	return nil
}

func (b *bench) allSeries() ([]*series, error) {
	berth := series{answers: answers{Who: "Berth"}, client: b.client, url: b.box.Berth.URL,
		berth: b.box.Berth}
	other := series{answers: answers{Who: "Go echo"}, client: b.echo.Client(), url: b.echo.URL}
	sample := b.names[:ask.SampleSize(len(b.names))]
	var all []*series
	for _, each := range []struct {
		series
		verb, how string
		names     []string
	}{
		{berth, "filter", backToBack, b.names}, {berth, "filter", newShapes, b.names},
		{other, "filter", backToBack, b.names},
		{berth, "prioritize", backToBack, sample}, {berth, "prioritize", newShapes, sample},
		{other, "prioritize", backToBack, sample},
	} {
		each.Verb, each.How = each.verb, each.how
		asked := pods(b.seed, varied)
		if each.how == newShapes {
			asked = newPods(shapes)
		}
		s, err := each.asking(asked, each.names)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
