package monitoring

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// Issue is what alertmanager-to-github makes of notifications.
type Issue struct {
	Open   bool
	Opened int // how often: more than once means reopened
	Labels []string
	Body   map[string]string // the common annotations
}

// Issues do with notifications what alertmanager-to-github documents and does (9215c92, v0.2.5,
// pkg/notifier/github.go and pkg/types/payload.go), but for GitHub. They stand for it, and are not
// it. Identity is the sha256 of a template of the notification.
type Issues struct {
	identity *template.Template
	ByID     map[string]*Issue
}

// payload is what the template sees, in the words of pkg/types/payload.go.
type payload struct {
	GroupKey, Status, Receiver                   string
	GroupLabels, CommonLabels, CommonAnnotations map[string]string
	Alerts                                       []struct {
		Status              string
		Labels, Annotations map[string]string
	}
}

// NewIssues makes none yet; identity is the value of --alert-id-template.
func NewIssues(identity string) (*Issues, error) {
	parsed, err := template.New("identity").Parse(identity)
	return &Issues{identity: parsed, ByID: map[string]*Issue{}}, err
}

// Identity is the value of --alert-id-template that docs/operations.md (page) recommends.
func Identity(page string) (string, error) {
	found := regexp.MustCompile("(?s)ATG_ALERT_ID_TEMPLATE`.*?```\n\\s*(.*?)\n").FindStringSubmatch(page)
	if found == nil {
		return "", fmt.Errorf("the page has no block after ATG_ALERT_ID_TEMPLATE")
	}
	return strings.TrimSpace(found[1]), nil
}

// Take opens, writes anew, closes or reopens the issue of a notification, and returns its identity.
// It fails for a notification that would make an issue of which a reader misses something.
func (i *Issues) Take(notification Notification) (string, error) {
	var sent payload
	if err := json.Unmarshal(notification.Body, &sent); err != nil {
		return "", err
	}
	var text strings.Builder
	if err := i.identity.Execute(&text, map[string]any{"Payload": sent}); err != nil {
		return "", err
	}
	// Annotations that are not common are looked up among the labels, and so come out empty.
	if len(sent.Alerts) != 1 || !maps.Equal(sent.Alerts[0].Annotations, sent.CommonAnnotations) {
		return "", fmt.Errorf("%s has %d alerts, and the annotations %v in common", text.String(),
			len(sent.Alerts), sent.CommonAnnotations)
	}
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(text.String())))
	issue, known := i.ByID[id]
	if !known {
		issue = &Issue{}
		i.ByID[id] = issue
	}
	for _, label := range strings.Split(notification.Query.Get("labels"), ",") {
		if !slices.Contains(issue.Labels, label) {
			issue.Labels = append(issue.Labels, label)
		}
	}
	issue.Body = sent.CommonAnnotations
	if firing := sent.Status == "firing"; firing != issue.Open || !known {
		issue.Open = firing
		if firing {
			issue.Opened++
		}
	}
	return id, nil
}
