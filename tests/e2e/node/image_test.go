package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImageHoldsOneProgram(t *testing.T) {
	folder := t.TempDir()
	program, file := filepath.Join(folder, "pause"), filepath.Join(folder, "pause.tar")
	if err := os.WriteFile(program, []byte("machine code"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeImage(file, pauseImage, program); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, content)
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if got := manifest[0].RepoTags; len(got) != 1 || got[0] != pauseImage {
		t.Errorf("named %v, want %s", got, pauseImage)
	}
	layer := files[manifest[0].Layers[0]]
	if got := string(unpack(t, layer)["usr/bin/pause"]); got != "machine code" {
		t.Errorf("holds %q", got)
	}
	identity := fmt.Sprintf("sha256:%x", sha256.Sum256(layer))
	if config := string(files[manifest[0].Config]); !strings.Contains(config, identity) {
		t.Errorf("the configuration has no %s: %s", identity, config)
	}
}

// What the code calls by name stands in a file that it does not read.
func TestDNSIsWhereKubeletSaysItIs(t *testing.T) {
	for _, want := range []string{"clusterIP: " + dnsAddress + "\n", "image: " + dnsImage + "\n"} {
		if !strings.Contains(dnsObjects, want) {
			t.Errorf("dns.yaml has no %q", want)
		}
	}
}

func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
}
