package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"
)

const timeToMeet = time.Minute

// meet ends well where all programs of the preflight have reached each other: the first one hears
// the rank of each other one, a byte, and tells all of them the sum.
func meet() error {
	rank, rankErr := strconv.Atoi(os.Getenv("RANK"))
	size, sizeErr := strconv.Atoi(os.Getenv("WORLD_SIZE"))
	if err := errors.Join(rankErr, sizeErr); err != nil {
		return err
	}
	deadline := time.Now().Add(timeToMeet)
	first := net.JoinHostPort(os.Getenv("MASTER_ADDR"), os.Getenv("MASTER_PORT"))
	join := func() (byte, error) { return visit(first, byte(rank), deadline) }
	if rank == 0 {
		join = func() (byte, error) { return gather(first, size-1, deadline) }
	}
	sum, err := join()
	if err != nil {
		return err
	}
	if want := byte(size * (size - 1) / 2); sum != want {
		return fmt.Errorf("the ranks come to %d, want %d", sum, want)
	}
	fmt.Printf("rank %d has met all %d at %s\n", rank, size, first)
	return nil
}

// gather hears so many others at its address, and tells them what their ranks come to.
func gather(address string, others int, deadline time.Time) (sum byte, err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	if err := listener.(*net.TCPListener).SetDeadline(deadline); err != nil {
		return 0, err
	}
	var guests []net.Conn
	for range others {
		guest, err := listener.Accept()
		if err != nil {
			return 0, err
		}
		defer guest.Close()
		rank, err := hear(guest, deadline)
		if err != nil {
			return 0, err
		}
		guests, sum = append(guests, guest), sum+rank
	}
	for _, guest := range guests {
		if _, err := guest.Write([]byte{sum}); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// visit tells the first one its rank, and hears what all come to. That one may not listen yet.
func visit(first string, rank byte, deadline time.Time) (sum byte, err error) {
	dialer := net.Dialer{Deadline: deadline}
	host, err := dialer.Dial("tcp", first)
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(step)
		host, err = dialer.Dial("tcp", first)
	}
	if err != nil {
		return 0, err
	}
	defer host.Close()
	if _, err := host.Write([]byte{rank}); err != nil {
		return 0, err
	}
	return hear(host, deadline)
}

func hear(from net.Conn, deadline time.Time) (byte, error) {
	if err := from.SetDeadline(deadline); err != nil {
		return 0, err
	}
	said := make([]byte, 1)
	_, err := io.ReadFull(from, said)
	return said[0], err
}
