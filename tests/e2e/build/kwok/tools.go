//go:build tools

// Package kwok pins the KWOK controller that plays the nodes of the end-to-end tests and the demo.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
