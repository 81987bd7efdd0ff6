//go:build !long

package planner

// seeds is the number of random clusters that plans are made for.
const seeds = 1
