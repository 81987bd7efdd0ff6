package monitoring

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/box"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	root, err := box.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func recommended(t *testing.T) *Issues {
	t.Helper()
	identity, err := Identity(read(t, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	issues, err := NewIssues(identity)
	if err != nil {
		t.Fatal(err)
	}
	return issues
}

func golden(t *testing.T, file string) Notification {
	return Notification{Body: []byte(read(t, "tests", "golden", "alerts", file)),
		Query: url.Values{"labels": {"berth,owner/vision"}}}
}

func take(t *testing.T, issues *Issues, notification Notification) string {
	t.Helper()
	id, err := issues.Take(notification)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// What the real Alertmanager has sent opens, closes and reopens one issue.
func TestGoldenNotificationsAreOneIssue(t *testing.T) {
	issues := recommended(t)
	id := take(t, issues, golden(t, "node-firing.json"))
	if issue := issues.ByID[id]; !issue.Open || issue.Body["summary"] == "" ||
		strings.Join(issue.Labels, " ") != "berth owner/vision" {
		t.Errorf("%+v", issue)
	}
	take(t, issues, golden(t, "node-resolved.json"))
	if issue := issues.ByID[id]; issue.Open {
		t.Errorf("%+v is open", issue)
	}
	take(t, issues, golden(t, "node-firing.json"))
	if issue := issues.ByID[id]; !issue.Open || issue.Opened != 2 || len(issues.ByID) != 1 {
		t.Errorf("%+v of %d", issue, len(issues.ByID))
	}
}

// By default a route that moves would open every issue anew.
func TestIdentityDoesNotDependOnRoutes(t *testing.T) {
	sent := golden(t, "node-firing.json")
	moved := Notification{Query: sent.Query,
		Body: []byte(strings.ReplaceAll(string(sent.Body), `"groupKey": "{}`, `"groupKey": "{}/{team=\"a\"}`))}
	if string(moved.Body) == string(sent.Body) {
		t.Fatal("the notification has no group key")
	}
	for identity, want := range map[string]int{"{{.Payload.GroupKey}}": 2, "": 1} {
		issues := recommended(t)
		if identity != "" {
			var err error
			if issues, err = NewIssues(identity); err != nil {
				t.Fatal(err)
			}
		}
		take(t, issues, sent)
		take(t, issues, moved)
		if len(issues.ByID) != want {
			t.Errorf("%q: %d issues, want %d", identity, len(issues.ByID), want)
		}
	}
}

func TestOtherNodesAndConditionsAreOtherIssues(t *testing.T) {
	issues := recommended(t)
	sent := golden(t, "node-firing.json")
	for _, other := range []string{"GPUIsLost", "GPURuntimeError"} {
		body := strings.ReplaceAll(string(sent.Body), "GPUIsLost", other)
		take(t, issues, Notification{Body: []byte(body), Query: sent.Query})
		body = strings.ReplaceAll(body, "mn2b-a100-001", "mn2b-a100-002")
		take(t, issues, Notification{Body: []byte(body), Query: sent.Query})
	}
	if len(issues.ByID) != 4 {
		t.Errorf("%d issues, want one for each node and condition", len(issues.ByID))
	}
}

func TestNotificationsOfWhichReadersWouldMissSomethingFail(t *testing.T) {
	issues := recommended(t)
	text := string(golden(t, "node-firing.json").Body)
	for _, body := range []string{
		strings.Replace(text, `"summary":`, `"other":`, 1), // of the alert alone
		strings.Replace(text, `"alerts": [`, `"alerts": [{}, `, 1),
	} {
		if id, err := issues.Take(Notification{Body: []byte(body)}); err == nil {
			t.Errorf("makes the issue %s:\n%s", id, body)
		}
	}
}
