package monitoring

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

const sent = `{"version": "4", "status": "firing", "externalURL": "http://box:10241", "alerts": [{
  "status": "firing", "labels": {"alertname": "A"}, "annotations": {"summary": "1 < 2"},
  "startsAt": "2026-03-04T05:06:07.891Z", "endsAt": "0001-01-01T00:00:00Z",
  "generatorURL": "http://127.0.0.1:10242/graph?g0.expr=x", "fingerprint": "79a4cf"}]}`

func normal(t *testing.T, body string) string {
	t.Helper()
	text, err := Notification{Body: []byte(body)}.Normal()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNormalIsTheSameForEveryRun(t *testing.T) {
	other := strings.NewReplacer("2026-03-04T05:06:07.891Z", "2027-08-09T10:11:12Z", "10241", "20241",
		"127.0.0.1:10242", "10.77.0.1:9", "79a4cf", "000000").Replace(sent)
	if got, want := normal(t, other), normal(t, sent); got != want {
		t.Errorf("%s\nis not\n%s", got, want)
	}
}

func TestNormalKeepsWhatPeopleRead(t *testing.T) {
	for _, want := range []string{`"summary": "1 < 2"`, `"endsAt": "0001-01-01T00:00:00Z"`,
		`"generatorURL": "http://prometheus.example/graph?g0.expr=x"`, `"alertname": "A"`} {
		if got := normal(t, sent); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	ended := strings.Replace(sent, "0001-01-01", "2026-03-04", 1)
	if normal(t, ended) == normal(t, sent) {
		t.Error("an alert that is over is like one that fires")
	}
}

func TestReceiverKeepsWhatItIsSent(t *testing.T) {
	receiver := NewReceiver()
	defer receiver.Close()
	for _, body := range []string{sent, "{"} {
		response, err := http.Post(receiver.URL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if ok := response.StatusCode == http.StatusOK; ok != (body == sent) {
			t.Errorf("%s for %s", response.Status, body)
		}
	}
	received := receiver.Received()
	if len(received) != 1 || received[0].Status != "firing" ||
		received[0].Alerts[0].Labels["alertname"] != "A" || !bytes.Equal(received[0].Body, []byte(sent)) {
		t.Errorf("%+v", received)
	}
}
