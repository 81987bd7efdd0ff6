// Package docs has the command blocks that the documentation shows, for tests that run them as they
// stand there. Its own tests run those of some documents in the order in which they are shown, on a real
// control plane where the real helm installs the chart.
package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"berth.dev/berth/tests/e2e/box"
)

// Block is a fenced code block of a document.
type Block struct {
	Document string
	Line     int
	Language string
	Text     string
}

var fence = regexp.MustCompile("^( *)```(\\w*)")

// Blocks are those of a document of the repository, without the indentation that they have in a list.
func Blocks(document string) ([]Block, error) {
	root, err := box.RepoRoot()
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		return nil, err
	}
	var blocks []Block
	var open *Block
	indentation := ""
	for i, line := range strings.Split(string(content), "\n") {
		switch found := fence.FindStringSubmatch(line); {
		case found != nil && open == nil:
			indentation = found[1]
			open = &Block{Document: document, Line: i + 1, Language: found[2]}
		case found != nil:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indentation) + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block does not end", document, open.Line)
	}
	return blocks, nil
}

// having are the blocks in the language that have the text.
func having(blocks []Block, language, text string) []Block {
	return slices.DeleteFunc(blocks, func(b Block) bool {
		return b.Language != language || !strings.Contains(b.Text, text)
	})
}

// Shell runs commands as an administrator types them who has the programs of the folder. It ends with
// the first one that fails.
func Shell(ctx context.Context, folder, kubeconfig, commands string) *exec.Cmd {
	command := exec.CommandContext(ctx, "bash", "-e", "-u", "-o", "pipefail", "-c", commands)
	command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "KUBECONFIG="+kubeconfig)
	return command
}

// Type runs the block of shell commands in the document that has the text, with kubectl, and returns
// what it says. names: pairs of a text of the document and what stands for it in the test.
func Type(t box.Test, kubeconfig, document, text string, names ...string) string {
	t.Helper()
	kubectl, err := box.Program("kubectl")
	t.Check("find kubectl", err)
	blocks, err := Blocks(document)
	t.Check("read the documentation", err)
	found := having(blocks, "sh", text)
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s have '%s', want 1", len(found), document, text)
	}
	commands := strings.NewReplacer(names...).Replace(found[0].Text)
	t.Logf("%s:%d\n%s", document, found[0].Line, commands)
	said, err := Shell(t.Context(), filepath.Dir(kubectl), kubeconfig, commands).CombinedOutput()
	if err != nil {
		t.Fatalf("%s:%d: %v\n%s", document, found[0].Line, err, said)
	}
	return string(said)
}
