// Package faults breaks nodes for real, below a real node-problem-detector, and follows each fault
// from the first sign to the return of the node, on a control plane with Berth and on one without.
// It takes minutes, so all of it has the tag long.
package faults
