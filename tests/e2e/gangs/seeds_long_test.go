//go:build long

package gangs

const seeds = 100
