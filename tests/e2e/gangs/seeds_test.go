//go:build !long

package gangs

// seeds is the number of pairs of gangs that compete.
const seeds = 3
