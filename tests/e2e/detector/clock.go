package detector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"berth.dev/berth/tests/e2e/box"
)

// Clock is a way to kube-apiserver on which the times of conditions are shifted, as if the clock of
// the detector that takes it were wrong.
type Clock struct {
	*httptest.Server
	Ahead time.Duration
}

// NewClock makes a way that serves until it is closed. Whoever takes it has the detectors' rights.
func NewClock(b *box.Box, ahead time.Duration) (*Clock, error) {
	kubeconfig, err := b.KubeconfigFor(user)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	c := &Clock{Ahead: ahead}
	proxy := &httputil.ReverseProxy{Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.shift(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	return c, nil
}

// shift changes the request where it writes a node's status.
func (c *Clock) shift(r *http.Request) error {
	if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/status") {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if body, err = shifted(body, c.Ahead); err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Del("Content-Length")
	return nil
}

// shifted is a patch of a node's status with later times in its conditions.
func shifted(patch []byte, ahead time.Duration) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(patch, &object); err != nil {
		return nil, err
	}
	status, _ := object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, each := range conditions {
		condition, isMap := each.(map[string]any)
		if !isMap {
			return nil, fmt.Errorf("a condition is %v", each)
		}
		for _, field := range []string{"lastHeartbeatTime", "lastTransitionTime"} {
			text, _ := condition[field].(string)
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return nil, fmt.Errorf("%s of a condition: %w", field, err)
			}
			condition[field] = at.Add(ahead).Format(time.RFC3339)
		}
	}
	return json.Marshal(object)
}
