//go:build tools

// Package prometheus pins what notifies of the chart's alerts in the end-to-end tests. Debian's
// Prometheus does not discover what is in Kubernetes. `go mod tidy` would fetch what discovers in all
// the world's clouds; instead, with GOFLAGS=-tags=remove_all_sd,enable_kubernetes_sd: go get both.
package prometheus

import (
	_ "github.com/prometheus/alertmanager/cmd/alertmanager"
	_ "github.com/prometheus/prometheus/cmd/prometheus"
)
