package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	loadWorkers   = 2
	probeInterval = 100 * time.Millisecond
	boundTimeout  = 20 * time.Second
)

var podNumber atomic.Int64

// load creates pods and has them placed, again and again, and opens connections to both servers as
// kube-apiserver and kube-scheduler do. Every failure is one.
type load struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup
	placed atomic.Int64
	dialed atomic.Int64

	mutex    sync.Mutex
	failures []string
}

// underLoad calls step while everything is in use, and fails if anybody noticed.
func (w world) underLoad(step func()) {
	w.Helper()
	before := w.refusals()
	l := startLoad(w.Context(), pool(string(schedulersAuthorities)))
	func() {
		defer l.stop()
		w.Await("the load to begin", func() bool { return l.placed.Load() > 0 })
		step()
		from := l.placed.Load()
		w.Await("pods to be placed after it", func() bool {
			return l.placed.Load() >= from+2*loadWorkers || l.failed()
		})
	}()
	for _, failure := range l.failures {
		w.Error(failure)
	}
	for name, message := range w.refusals() {
		if before[name] == "" {
			w.Errorf("%s: %s", name, message)
		}
	}
	w.Logf("%d pods placed, %d connections opened", l.placed.Load(), l.dialed.Load())
}

// refusals are events of pods that were not placed at once though all of them fit: kube-scheduler
// could not ask the extender.
func (w world) refusals() map[string]string {
	w.Helper()
	events, err := shared.Client.CoreV1().Events(team).List(w.Context(), metav1.ListOptions{
		FieldSelector: "reason=FailedScheduling"})
	w.Check("list events", err)
	messages := map[string]string{}
	for _, event := range events.Items {
		messages[event.Name] = event.Message
	}
	return messages
}

func startLoad(ctx context.Context, veterans *x509.CertPool) *load {
	l := &load{}
	ctx, l.cancel = context.WithCancel(ctx)
	for range loadWorkers {
		l.ended.Go(func() {
			l.repeat(ctx, 0, func(ctx context.Context) error {
				// To its end: one that is deleted while it is bound would be told of like a refused one.
				return l.place(context.WithoutCancel(ctx))
			})
		})
	}
	l.ended.Go(func() {
		l.repeat(ctx, probeInterval, func(ctx context.Context) error {
			return l.dial(ctx, extenderAddress(), veterans)
		})
	})
	l.ended.Go(func() { l.repeat(ctx, probeInterval, l.dialWebhook) })
	return l
}

func (l *load) stop() {
	l.cancel()
	l.ended.Wait()
}

func (l *load) failed() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.failures) > 0
}

func (l *load) repeat(ctx context.Context, pause time.Duration, step func(context.Context) error) {
	for ctx.Err() == nil {
		if err := step(ctx); err != nil && ctx.Err() == nil {
			l.mutex.Lock()
			l.failures = append(l.failures, time.Now().Format(time.TimeOnly)+" "+err.Error())
			l.mutex.Unlock()
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// place creates a pod, which the webhook has to allow, and waits until kube-scheduler, which has to
// ask the extender, has placed it.
func (l *load) place(ctx context.Context) error {
	if err := place(ctx); err != nil {
		return err
	}
	l.placed.Add(1)
	return nil
}

func place(ctx context.Context) error {
	pods := shared.Client.CoreV1().Pods(team)
	pod, err := pods.Create(ctx, gpuPod(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	defer func() {
		_ = pods.Delete(context.WithoutCancel(ctx), pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	}()
	for deadline := time.Now().Add(boundTimeout); ; {
		found, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil || found.Spec.NodeName != "" {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s was not placed within %s", pod.Name, boundTimeout)
		}
		time.Sleep(pollInterval)
	}
}

func gpuPod() *corev1.Pod {
	pod := fleet.Ask{Name: "gpu", Resource: fleet.ResourceGPU, Devices: 1, Cores: 1, MemoryGiB: 8}.
		Pod(fmt.Sprintf("gpu-%d", podNumber.Add(1)))
	pod.Namespace = team
	return pod
}

// dialWebhook trusts what kube-apiserver trusts now.
func (l *load) dialWebhook(ctx context.Context) error {
	all, err := bundles(ctx)
	if err != nil {
		return err
	}
	return l.dial(ctx, admissionAddress(), pool(all[0]))
}

func (l *load) dial(ctx context.Context, address string, roots *x509.CertPool) error {
	dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	var unverified *tls.CertificateVerificationError
	if errors.As(err, &unverified) {
		shown := unverified.UnverifiedCertificates
		return fmt.Errorf("%s: %w (it shows %d certificates, the first until %s)", address, err,
			len(shown), shown[0].NotAfter)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	l.dialed.Add(1)
	return connection.Close()
}

// shownBy is the certificate that a server shows to whoever connects.
func shownBy(ctx context.Context, address string) (*x509.Certificate, error) {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // it is compared instead
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

func pool(text string) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(text))
	return roots
}

func extenderAddress() string  { return strings.TrimPrefix(shared.Berth.URL, "https://") }
func admissionAddress() string { return strings.TrimPrefix(admission.URL, "https://") }
