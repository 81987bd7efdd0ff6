package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

func TestStandInRefusesThoseThatNothingFits(t *testing.T) {
	s := startStandIn()
	defer s.Close()
	const hopeless = `{"metadata":{"annotations":{"berth.dev/accelerator-memory":"200Gi"}}}`
	for _, c := range []struct {
		how, pod string
		fit      int
		refused  int
		failed   bool
	}{
		{waitsListed, `{}`, 2, 0, false},
		{waitsError, `{}`, 2, 0, false},
		{waitsListed, hopeless, 0, 2, false},
		{waitsError, hopeless, 0, 0, true},
	} {
		response, err := s.Client().Post(s.URL+"/"+c.how+"/filter", "application/json",
			strings.NewReader(`{"Pod":`+c.pod+`,"NodeNames":["a","b"]}`))
		if err != nil {
			t.Fatal(err)
		}
		var result extenderv1.ExtenderFilterResult
		err = json.NewDecoder(response.Body).Decode(&result)
		response.Body.Close()
		fit := 0
		if result.NodeNames != nil {
			fit = len(*result.NodeNames)
		}
		if err != nil || fit != c.fit || len(result.FailedAndUnresolvableNodes) != c.refused ||
			(result.Error != "") != c.failed {
			t.Errorf("%s, pod %s: %+v (%v)", c.how, c.pod, result, err)
		}
	}
	response, err := s.Client().Post(s.URL+"/"+waitsError+"/filter", "application/json",
		strings.NewReader("nonsense"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("nonsense is answered %d", response.StatusCode)
	}
}
