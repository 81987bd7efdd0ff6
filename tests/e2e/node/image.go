package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
)

// writeImage writes what `docker save` would of an image that holds one static program.
func writeImage(file, reference, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := path.Base(program)
	layer := archive(entry{"usr/bin/" + name, content})
	config, configErr := json.Marshal(map[string]any{
		"architecture": "amd64", "os": "linux",
		"config": map[string]any{"Entrypoint": []string{name}, "Env": []string{"PATH=/usr/bin"}},
		"rootfs": map[string]any{"type": "layers",
			"diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
	})
	manifest, manifestErr := json.Marshal([]map[string]any{{
		"Config": "config.json", "RepoTags": []string{reference}, "Layers": []string{"layer.tar"}}})
	if configErr != nil || manifestErr != nil {
		return fmt.Errorf("image %s: %v, %v", reference, configErr, manifestErr)
	}
	return os.WriteFile(file, archive(entry{"config.json", config}, entry{"layer.tar", layer},
		entry{"manifest.json", manifest}), 0o600)
}

type entry struct {
	name    string
	content []byte
}

// archive is a tar of programs, or of what may as well be one. Writing to memory does not fail.
func archive(entries ...entry) []byte {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, e := range entries {
		_ = writer.WriteHeader(&tar.Header{Name: e.name, Mode: 0o755, Size: int64(len(e.content))})
		_, _ = writer.Write(e.content)
	}
	_ = writer.Close()
	return buffer.Bytes()
}
