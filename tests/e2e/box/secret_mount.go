package box

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	mountInterval = 100 * time.Millisecond
	mountTimeout  = time.Minute
	mountedMode   = 0o400
)

// SecretMount is a folder with the files of a Secret, which follows it as kubelet has it, but
// sooner. A Secret that is deleted leaves its files, as with kubelet.
type SecretMount struct {
	Folder string

	box             *Box
	namespace, name string
	cancel          context.CancelFunc
	ended           sync.WaitGroup
	written         fileSet
}

// MountSecret waits until a Secret exists and has its files follow it until Stop, which has to be
// called before that of the box.
func (b *Box) MountSecret(ctx context.Context, namespace, name string) (*SecretMount, error) {
	m := &SecretMount{Folder: filepath.Join(b.Dir, "mounts", name), box: b, namespace: namespace,
		name: name}
	ctx, m.cancel = context.WithCancel(ctx)
	what := fmt.Sprintf("secret %s/%s to be mounted", namespace, name)
	if err := Retry(ctx, mountTimeout, what, m.update); err != nil {
		m.cancel()
		return nil, err
	}
	m.ended.Go(func() { m.follow(ctx) })
	return m, nil
}

// Stop leaves the files as they are.
func (m *SecretMount) Stop() {
	m.cancel()
	m.ended.Wait()
}

func (m *SecretMount) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(mountInterval):
			_ = m.update(ctx) // what cannot be read now can be read later
		}
	}
}

func (m *SecretMount) update(ctx context.Context) error {
	secret, err := m.box.Client.CoreV1().Secrets(m.namespace).Get(ctx, m.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	files := fileSet{}
	for key, value := range secret.Data {
		files[key] = volumeFile{content: string(value), mode: mountedMode}
	}
	if reflect.DeepEqual(files, m.written) {
		return nil
	}
	if err := replaceFiles(m.Folder, files); err != nil {
		return err
	}
	m.written = files
	return nil
}
