package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Advise adds to an error of a cluster inside what to do about it, where that is known.
func Advise(err error) error {
	full := err != nil && (errors.Is(err, syscall.ENOSPC) ||
		strings.Contains(err.Error(), syscall.ENOSPC.Error())) // a program's word
	if !full {
		return err
	}
	return fmt.Errorf("%w\nthe disk is full: a real node takes about %s in %s; make room there, or name "+
		"another folder with TMPDIR", err, spaceNeeded, filepath.Dir(os.TempDir()))
}

// spaceNeeded is what all files of a cluster come to, most of which are unpacked images.
const spaceNeeded = "1 GiB"
