// Package echo is the least that a kube-scheduler extender in Go can do, with what people write
// them with: net/http, encoding/json and Kubernetes' own types.
package echo

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Start serves an extender for which every node fits (/filter) and ranks 0 (/prioritize). TLS as
// Berth's, HTTP/1.1 too. The caller closes it.
func Start() *httptest.Server {
	mux := http.NewServeMux()
	handle(mux, "/filter", func(args extenderv1.ExtenderArgs) any {
		return extenderv1.ExtenderFilterResult{NodeNames: args.NodeNames}
	})
	handle(mux, "/prioritize", func(args extenderv1.ExtenderArgs) any {
		list := extenderv1.HostPriorityList{}
		for _, name := range *args.NodeNames {
			list = append(list, extenderv1.HostPriority{Host: name})
		}
		return list
	})
	return httptest.NewTLSServer(mux)
}

// Authority is the certificate (PEM) by which clients verify the server.
func Authority(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func handle(mux *http.ServeMux, path string, reply func(extenderv1.ExtenderArgs) any) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var args extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.NodeNames == nil {
			http.Error(w, "no ExtenderArgs with NodeNames", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(reply(args)) // the client notices what is missing
	})
}
