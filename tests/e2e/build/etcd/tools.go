//go:build tools

// Package etcd pins the etcd server that the end-to-end tests and the demo run.
package etcd

import _ "go.etcd.io/etcd/server/v3"
