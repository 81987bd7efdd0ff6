package box

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Board is a `berth board` of a box. Killed and started again it has the same port and another token.
type Board struct {
	*Process
	Port int // on 127.0.0.1
}

// NewBoard makes a board that Start starts; the box stops it at the latest. It reads the cluster as
// kubeconfig says. config holds keys of Berth's configuration file beside those that have no default.
func (b *Box) NewBoard(name, kubeconfig string, config map[string]any) (*Board, error) {
	path, err := BerthBinary()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.Dir, name+".yaml")
	content, err := yaml.Marshal(merged(map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1",
		"kind":       "BerthConfiguration",
		"extender":   map[string]any{"listen": "127.0.0.1:0", "insecureLoopback": true},
	}, config))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, err
	}
	return b.newBoard(path, name, "--kubeconfig", kubeconfig, "--config", file)
}

// NewBoardOf is NewBoard with another program than BerthBinary, and with the built-in configuration.
func (b *Box) NewBoardOf(program, kubeconfig string) (*Board, error) {
	return b.newBoard(program, "board", "--kubeconfig", kubeconfig)
}

func (b *Box) newBoard(program, name string, options ...string) (*Board, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	board := &Board{Port: port}
	board.Process = &Process{
		Name: name, LogFile: b.logFile(name), path: program,
		args: append([]string{"board", "--port", strconv.Itoa(port)}, options...),
	}
	written := 0 // addresses in the log of former starts
	board.ready = func(context.Context) error {
		addresses, err := board.addresses()
		if err != nil || len(addresses) == written {
			return errors.Join(err, errors.New("it has not printed its address"))
		}
		written = len(addresses)
		return nil
	}
	b.add(board.Process)
	return board, nil
}

// URL is what it has printed last: its address with the token.
func (board *Board) URL() (string, error) {
	addresses, err := board.addresses()
	if err != nil || len(addresses) == 0 {
		return "", errors.Join(err, fmt.Errorf("%s has printed no address", board.Name))
	}
	return addresses[len(addresses)-1], nil
}

// URLAt is the same for those who reach the board at another address (host:port), through a proxy.
func (board *Board) URLAt(address string) (string, error) {
	own, err := board.URL()
	if err != nil {
		return "", err
	}
	parts, err := url.Parse(own)
	if err != nil {
		return "", err
	}
	parts.Host = address
	return parts.String(), nil
}

func (board *Board) addresses() ([]string, error) {
	content, err := os.ReadFile(board.LogFile)
	var addresses []string
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "http://127.0.0.1:") && strings.HasSuffix(line, "\n") {
			addresses = append(addresses, strings.TrimSpace(line))
		}
	}
	return addresses, err
}
