package main

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// standIn is an extender in Go for which every node fits all pods but those that nothing fits: these
// it refuses node by node (/listed/filter), or answers with an error (/error/filter).
type standIn struct{ *httptest.Server }

func startStandIn() *standIn {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /"+waitsListed+"/filter", answer(refuseAll))
	mux.HandleFunc("POST /"+waitsError+"/filter", answer(failAll))
	return &standIn{httptest.NewTLSServer(mux)}
}

// register has kube-scheduler ask it instead of Berth.
func (s *standIn) register(entry *schedulerconfig.Extender, how string) {
	entry.URLPrefix, entry.PreemptVerb, entry.PrioritizeVerb = s.URL+"/"+how, "", ""
	entry.TLSConfig = &schedulerconfig.ExtenderTLSConfig{CAData: pem.EncodeToMemory(
		&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})}
}

func answer(refuse func(names []string) extenderv1.ExtenderFilterResult) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var args extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.NodeNames == nil {
			http.Error(w, "no ExtenderArgs with NodeNames", http.StatusBadRequest)
			return
		}
		result := extenderv1.ExtenderFilterResult{NodeNames: args.NodeNames}
		if args.Pod.Annotations[fleet.AnnotationMemory] == missingMemory {
			result = refuse(*args.NodeNames)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // the client notices what is missing
	}
}

func refuseAll(names []string) extenderv1.ExtenderFilterResult {
	result := extenderv1.ExtenderFilterResult{
		FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{}}
	for _, name := range names {
		result.FailedAndUnresolvableNodes[name] = "node(s) had too little memory"
	}
	return result
}

func failAll([]string) extenderv1.ExtenderFilterResult {
	return extenderv1.ExtenderFilterResult{Error: "no node has so much memory"}
}
