//go:build long

package planner

const seeds = 20
