package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Explanation is what berth explain said.
type Explanation struct {
	Text string
	Fits bool // at least one node, by its exit code
}

// Explain runs berth explain with the box's configuration of Berth and the given arguments.
func (b *Box) Explain(ctx context.Context, arguments ...string) (Explanation, error) {
	path, err := BerthBinary()
	if err != nil {
		return Explanation{}, err
	}
	arguments = append([]string{"explain", "--config", b.Berth.ConfigFile}, arguments...)
	command := exec.CommandContext(ctx, path, arguments...)
	var said, complaint bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaint
	err = command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && said.Len() > 0 {
		return Explanation{Text: said.String()}, nil // an answer, and the answer is no
	}
	if err != nil {
		return Explanation{}, fmt.Errorf("berth %s: %w: %s", strings.Join(arguments, " "), err,
			complaint.String())
	}
	return Explanation{Text: said.String(), Fits: true}, nil
}
