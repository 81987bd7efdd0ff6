package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// spaceNeeded is what all files of a cluster come to, most of which are unpacked images.
const spaceNeeded = "500 MiB"

// Advice says what to do about an error of a cluster inside; "" where only its logs tell.
func Advice(err error) string {
	full := errors.Is(err, syscall.ENOSPC) ||
		err != nil && strings.Contains(err.Error(), syscall.ENOSPC.Error()) // a program's word
	if !full {
		return ""
	}
	return fmt.Sprintf("the disk is full: a real node takes about %s in %s; make room there, or name "+
		"another folder with TMPDIR", spaceNeeded, filepath.Dir(os.TempDir()))
}
