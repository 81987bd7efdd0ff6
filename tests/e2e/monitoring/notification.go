package monitoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"sync"
	"time"
)

// Notification is what Alertmanager sends to webhooks
// (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config).
type Notification struct {
	Status string // firing, resolved
	Alerts []struct{ Labels map[string]string }
	Body   []byte     `json:"-"`
	Query  url.Values `json:"-"` // of the URL that it was sent to
}

// Receiver is a webhook that keeps what it is sent. Thread-safe.
type Receiver struct {
	*httptest.Server
	mu       sync.Mutex
	received []Notification
}

// NewReceiver listens on loopback until it is closed.
func NewReceiver() *Receiver {
	r := &Receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(r.receive))
	return r
}

// Received are all notifications so far, the first one first.
func (r *Receiver) Received() []Notification {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Notification(nil), r.received...)
}

func (r *Receiver) receive(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	notification := Notification{Body: body, Query: request.URL.Query()}
	if err == nil {
		err = json.Unmarshal(body, &notification)
	}
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, notification)
}

// What is another at each run stands for itself in the golden files.
const (
	someTime        = "2026-01-01T00:00:00Z"
	someFingerprint = "0123456789abcdef"
)

var hostOfURL = regexp.MustCompile(`^http://[^/]+`)

// Normal is a notification's body without times, addresses and fingerprints, indented.
func (n Notification) Normal() ([]byte, error) {
	var body map[string]any
	if err := json.Unmarshal(n.Body, &body); err != nil {
		return nil, err
	}
	normalHost(body, "externalURL", "http://alertmanager.example")
	alerts, _ := body["alerts"].([]any)
	for _, each := range alerts {
		alert, is := each.(map[string]any)
		if !is {
			return nil, fmt.Errorf("an alert is %v", each)
		}
		normalTime(alert, "startsAt")
		normalTime(alert, "endsAt")
		normalHost(alert, "generatorURL", "http://prometheus.example")
		if _, has := alert["fingerprint"]; has {
			alert["fingerprint"] = someFingerprint
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(body)
	return text.Bytes(), err
}

// normalTime leaves the time of what has not come yet, which Alertmanager writes as Go's zero.
func normalTime(object map[string]any, field string) {
	text, _ := object[field].(string)
	if at, err := time.Parse(time.RFC3339, text); err == nil && !at.IsZero() {
		object[field] = someTime
	}
}

func normalHost(object map[string]any, field, host string) {
	if text, is := object[field].(string); is {
		object[field] = hostOfURL.ReplaceAllLiteralString(text, host)
	}
}
