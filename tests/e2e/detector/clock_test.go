package detector

import (
	"testing"
	"time"
)

func TestTimesOfConditionsAreShifted(t *testing.T) {
	const patch = `{"status":{"conditions":[{"lastHeartbeatTime":"2026-01-01T12:00:00Z",` +
		`"lastTransitionTime":"2026-01-01T11:00:00Z","status":"True","type":"GPUIsLost"}]}}`
	const want = `{"status":{"conditions":[{"lastHeartbeatTime":"2026-01-01T11:55:00Z",` +
		`"lastTransitionTime":"2026-01-01T10:55:00Z","status":"True","type":"GPUIsLost"}]}}`
	got, err := shifted([]byte(patch), -5*time.Minute)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if _, err := shifted([]byte(`{"status":{"conditions":[{"type":"A"}]}}`), 0); err == nil {
		t.Error("a condition without times is taken")
	}
}
