package figures

import "slices"

// Order is whose turn it is in a round, of those who are compared: every other round starts with
// the last, because who comes second finds warmer caches.
func Order(round, count int) []int {
	var indexes []int
	for i := range count {
		indexes = append(indexes, i)
	}
	if round%2 == 1 {
		slices.Reverse(indexes)
	}
	return indexes
}
