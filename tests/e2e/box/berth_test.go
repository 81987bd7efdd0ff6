package box

import (
	"reflect"
	"testing"
)

func TestConfigurationKeepsWhatTheBoxDecides(t *testing.T) {
	own := map[string]any{
		"extender": map[string]any{"listen": "127.0.0.1:1", "tls": map[string]any{"certFile": "a"}},
		"metrics":  map[string]any{"listen": "127.0.0.1:2"},
	}
	more := map[string]any{
		"extender": map[string]any{"shortlist": map[string]any{"size": 8}},
		"log":      map[string]any{"level": "debug"},
	}
	want := map[string]any{
		"extender": map[string]any{"listen": "127.0.0.1:1", "tls": map[string]any{"certFile": "a"},
			"shortlist": map[string]any{"size": 8}},
		"metrics": map[string]any{"listen": "127.0.0.1:2"},
		"log":     map[string]any{"level": "debug"},
	}
	if got := merged(own, more); !reflect.DeepEqual(got, want) {
		t.Errorf("merged %v, want %v", got, want)
	}
	if len(own["extender"].(map[string]any)) != 2 {
		t.Error("the next configuration would still have what this one added")
	}
}
