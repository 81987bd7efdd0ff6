// Trainer stands for a training program in the tests of a real node:
//
//	trainer eat MIB          takes so much memory, and keeps it
//	trainer fill FOLDER MIB  fills a folder and keeps it; where it has done so before, it ends well
//	trainer count STEPS      counts from its checkpoint on, and saves one on SIGTERM
//	trainer meet             sums up the ranks of all that run together, as a preflight does
//	trainer hang             hangs in the kernel until its child is killed
//
// Checkpoints are in $CHECKPOINT_DIR. A journal of what was done is there, too, and on the output.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

const (
	step         = 100 * time.Millisecond
	timeToSave   = 3 * time.Second
	saved        = 143 // not 0, or the Job would be complete
	mebibyte     = 1 << 20
	pageSize     = 4096
	journalName  = "journal"
	progressName = "progress"
	filledName   = "filled"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 2 && arguments[0] == "eat" {
		return eat(arguments[1])
	}
	if len(arguments) == 3 && arguments[0] == "fill" {
		return fill(arguments[1], arguments[2])
	}
	if len(arguments) == 2 && arguments[0] == "count" {
		return count(arguments[1])
	}
	if slices.Equal(arguments, []string{"meet"}) {
		return meet()
	}
	if slices.Equal(arguments, []string{"hang"}) {
		return hang()
	}
	return errors.New("usage: trainer eat MIB | fill FOLDER MIB | count STEPS | meet | hang")
}

func eat(size string) error {
	mebibytes, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	memory := make([]byte, mebibytes*mebibyte)
	for i := 0; i < len(memory); i += pageSize {
		memory[i] = 1
	}
	err = interrupted()
	fmt.Println(memory[0]) // kept until here
	return err
}

func fill(folder, size string) error {
	mebibytes, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	if _, err := os.Stat(checkpoint(filledName)); err == nil {
		return nil
	}
	if err := write(filledName, nil); err != nil {
		return err
	}
	scratch, err := os.Create(filepath.Join(folder, "scratch"))
	if err != nil {
		return err
	}
	defer scratch.Close()
	for range mebibytes {
		if _, err := scratch.Write(make([]byte, mebibyte)); err != nil {
			return err
		}
	}
	return interrupted()
}

func count(steps string) error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	last, err := strconv.Atoi(steps)
	if err != nil {
		return err
	}
	at, err := progress()
	if err != nil {
		return err
	}
	if err := note("starts at", at); err != nil {
		return err
	}
	for ; at < last; at++ {
		select {
		case <-end:
			return save(at)
		case <-time.After(step):
		}
	}
	return note("ends at", at)
}

// progress is where the checkpoint stands; without one it is 0.
func progress() (int, error) {
	content, err := os.ReadFile(checkpoint(progressName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(content))
}

// save takes its time, and ends the program.
func save(at int) error {
	time.Sleep(timeToSave)
	if err := write(progressName, []byte(strconv.Itoa(at))); err != nil {
		return err
	}
	if err := note("saved at", at); err != nil {
		return err
	}
	os.Exit(saved)
	return nil
}

// write replaces a checkpoint in one piece, as who is killed meanwhile would want it.
func write(name string, content []byte) error {
	path := checkpoint(name)
	if path == "" {
		return nil
	}
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func note(what string, at int) error {
	line := fmt.Sprintln(what, at)
	fmt.Print(line)
	path := checkpoint(journalName)
	if path == "" {
		return nil
	}
	journal, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = journal.WriteString(line)
	return errors.Join(err, journal.Close())
}

// checkpoint is the path of a file; "" where no checkpoints are kept.
func checkpoint(name string) string {
	folder := os.Getenv("CHECKPOINT_DIR")
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, name)
}

// interrupted waits for SIGTERM. To end well then would be to say that all is done.
func interrupted() error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	<-end
	return errors.New("interrupted")
}
