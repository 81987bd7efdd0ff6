package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/echo"
)

func TestRoundsAreTimedAsTheCallerSeesThem(t *testing.T) {
	server := echo.Start()
	defer server.Close()
	s, err := series{answers: answers{Who: "Go echo", Verb: "filter"}, client: server.Client(),
		url: server.URL}.asking(pods(1, 3), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.round(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Rounds) != 2 || s.Nodes != 3 || s.RequestBytes < 100 || s.ReplyBytes < 10 {
		t.Errorf("%+v", s.answers)
	}
	for _, r := range s.Rounds {
		if r.CallerP50 <= 0 || r.CallerP99 < r.CallerP50 || r.BerthP50 != 0 {
			t.Errorf("round %+v", r)
		}
	}
}

func TestAnswersThatAreErrors(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	}))
	defer server.Close()
	s, err := series{answers: answers{Who: "other", Verb: "filter"}, client: server.Client(),
		url: server.URL}.asking(pods(1, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.round(t.Context(), 1)
	if err == nil || !strings.Contains(err.Error(), "other, filter: status 413") ||
		!strings.Contains(err.Error(), "too large") {
		t.Errorf("error %v", err)
	}
}
