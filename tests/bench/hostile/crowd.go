package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"berth.dev/berth/tests/e2e/attack"
	"berth.dev/berth/tests/e2e/box"
)

const (
	// attackersCommand makes this program the attackers.
	attackersCommand = "attackers"
	// leastPriority of all that Linux has. What attackers take of the machine is not Berth's doing.
	leastPriority = "19"
	arrivalPoll   = 50 * time.Millisecond
)

// orders are what attackers are told, as JSON.
type orders struct {
	Address string          `json:"address"` // host:port
	Client  box.ClientFiles `json:"client"`
	Assault string          `json:"assault"`
}

// crowd is a process of attackers. A nil one is nobody.
type crowd struct {
	process *exec.Cmd
	orders  io.Closer
}

// startCrowd returns when all attackers are there.
func startCrowd(ctx context.Context, o orders) (*crowd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	process := exec.CommandContext(ctx, "nice", "-n", leastPriority, program, attackersCommand)
	process.Stderr = os.Stderr
	in, inErr := process.StdinPipe()
	out, outErr := process.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	c := &crowd{process: process, orders: in}
	err = json.NewEncoder(in).Encode(o)
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		return nil, fmt.Errorf("attackers did not come: %w", errors.Join(err, c.Stop()))
	}
	return c, nil
}

// Stop returns when all attackers have gone.
func (c *crowd) Stop() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.orders.Close(), c.process.Wait())
}

// obey is the attackers' side: it attacks as the orders say, writes a line when all are there, and
// ends when there is nothing more to read. Whoever gave the orders is done then, or gone.
func obey(ctx context.Context, in io.Reader, out io.Writer) error {
	var o orders
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	chosen, err := attacksNamed(o.Assault)
	if err != nil {
		return err
	}
	config, err := o.Client.TLS()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // an error is an end, too
	}()
	people := attack.Start(ctx, attack.Target{Address: o.Address, TLS: config}, chosen[0].groups...)
	defer people.Stop()
	for people.Arrived() < chosen[0].size() {
		if pause(ctx, arrivalPoll) != nil {
			return nil
		}
	}
	if _, err := fmt.Fprintln(out, "all are there"); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
