package main

import (
	"fmt"
	"strings"
	"time"

	"berth.dev/berth/tests/e2e/attack"
)

const (
	// Who was cut off comes back as late as a connection that says nothing is ended anyway.
	patience = 10 * time.Second
	again    = time.Second
)

// assault is what goes on beside honest requests.
type assault struct {
	name     string
	groups   []attack.Group
	replaces bool // all nodes during a block
}

var (
	silent = []attack.Group{
		{Kind: attack.Mute, Count: 500, Pause: patience},
		{Kind: attack.Silent, Count: 500, Pause: patience},
	}
	slow = []attack.Group{
		{Kind: attack.SlowBody, Count: 200, Pause: patience},
		{Kind: attack.SlowHeader, Count: 50, Pause: patience},
	}
	held = []attack.Group{
		{Kind: attack.Holder, Count: 60, Pause: patience},
	}
	large = []attack.Group{
		{Kind: attack.Oversized, Count: 10, Pause: again},
		{Kind: attack.LongHeader, Count: 10, Pause: again},
	}
	broken = []attack.Group{
		{Kind: attack.NotTLS, Count: 40, Pause: again},
		{Kind: attack.HangsUp, Count: 80, Pause: again}, // each stays for a second, too
		{Kind: attack.Stranger, Count: 10, Pause: again},
	}
)

var attacks = []assault{
	{name: "1,000 silent connections", groups: silent},
	{name: "250 requests at a byte a second", groups: slow},
	{name: "60 bodies of 8 MiB held", groups: held},
	{name: "20 oversized requests a second", groups: large},
	{name: "90 broken handshakes a second", groups: broken},
	{name: "all nodes replaced", replaces: true},
	{name: "all of it at once", groups: everybody(), replaces: true},
}

func everybody() []attack.Group {
	var all []attack.Group
	for _, groups := range [][]attack.Group{silent, slow, held, large, broken} {
		all = append(all, groups...)
	}
	return all
}

// attacksNamed are those that have the text in their name.
func attacksNamed(part string) ([]assault, error) {
	var chosen []assault
	var names []string
	for _, a := range attacks {
		names = append(names, a.name)
		if strings.Contains(a.name, part) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only: no attack's name has %q in it; write a part of one of: %s", part,
			strings.Join(names, "; "))
	}
	return chosen, nil
}

// size is how many attackers there are.
func (a assault) size() int {
	sum := 0
	for _, group := range a.groups {
		sum += group.Count
	}
	return sum
}
