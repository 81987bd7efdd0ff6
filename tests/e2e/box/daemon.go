package box

import (
	"context"
	"path/filepath"
)

// LabelRealNode is on nodes that KWOK leaves alone, because a kubelet keeps them.
const LabelRealNode = "e2e.berth.dev/real"

// Daemon is one of the programs that build.sh builds, for Run and NewDaemon.
type Daemon struct {
	Program string
	// Name is the daemon's and its log's, for a program that runs more than once. Default: the
	// program's.
	Name      string
	Arguments []string
	// Environment is added to this program's own. Default: nothing is.
	Environment []string
	// Ready answers nil once the daemon serves.
	Ready func(context.Context) error
}

// Run starts a daemon and returns when it serves. The box stops it before what it has started
// itself.
func (b *Box) Run(ctx context.Context, daemon Daemon) (*Process, error) {
	process, err := b.NewDaemon(daemon)
	if err != nil {
		return nil, err
	}
	return process, process.Start(ctx)
}

// NewDaemon makes a daemon that Start starts; the box stops it as it does one of Run's.
func (b *Box) NewDaemon(daemon Daemon) (*Process, error) {
	process, err := b.newProcess(daemon.Program, daemon.Ready, daemon.Arguments...)
	if err != nil {
		return nil, err
	}
	if daemon.Name != "" {
		process.Name, process.LogFile = daemon.Name, b.logFile(daemon.Name)
	}
	process.env = daemon.Environment
	b.add(process)
	return process, nil
}

// FreePort finds a loopback port for a daemon to listen on.
func (b *Box) FreePort() (int, error) { return freePort() }

// ReadyAt is a Ready that a URL answers with 200; for https as the box's authority has signed.
func (b *Box) ReadyAt(url string) func(context.Context) error { return b.httpReady(url) }

// AuthorityFile is the PEM file of the authority that everybody in the box trusts.
func (b *Box) AuthorityFile() string { return b.ca.CertFile }

// KubeconfigFor writes a kubeconfig of a user with these groups, and returns its path.
func (b *Box) KubeconfigFor(user string, groups ...string) (string, error) {
	pair, err := b.ca.Client(user, groups...)
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.Dir, fileName(user)+".kubeconfig")
	return path, b.writeKubeconfig(path, b.APIAddress(), pair.login())
}
