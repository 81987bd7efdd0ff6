package box

import (
	"os"
	"strings"
)

const logLineWidth = 240 // Kubernetes writes whole objects into one line

// tail returns the last lines of a file, long ones cut, or says why it cannot.
func tail(path string, lines int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	for i, line := range all {
		if len(line) > logLineWidth {
			all[i] = line[:logLineWidth] + "..."
		}
	}
	return strings.Join(all, "\n")
}
