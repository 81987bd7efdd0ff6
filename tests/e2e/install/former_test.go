package install

import (
	"os"
	"path/filepath"

	"berth.dev/berth/tests/e2e/box"
)

const (
	// formerImage is where charts look for the program of the release before.
	formerImage  = "berth-former"
	formerBinary = "build/release/cli/berth"
)

// formerFolder is a checkout of the release before, built: $BERTH_FORMER, else what image/dist/former makes.
func formerFolder() (string, error) {
	if folder := os.Getenv("BERTH_FORMER"); folder != "" {
		return folder, nil
	}
	root, err := box.RepoRoot()
	return filepath.Join(root, "build", "former"), err
}
