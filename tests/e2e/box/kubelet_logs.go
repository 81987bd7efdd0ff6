package box

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
)

// kubeletPort is where kube-apiserver asks a node's kubelet unless the node says otherwise
// (ports.KubeletPort in pkg/cluster/ports/ports.go, 1.36.3).
const kubeletPort = 10250

// logServer tells logs to kube-apiserver, for `kubectl logs` and `helm test --logs`, on behalf of
// the kubelets of all nodes. Thread-safe.
type logServer struct {
	address string
	server  *http.Server
}

func startLogServer(b *Box) (*logServer, error) {
	files, err := b.ca.Server("kubelet")
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", b.Kubelet.serveLog)
	s := &logServer{address: listener.Addr().String(),
		server: &http.Server{Handler: routes, ReadHeaderTimeout: dialTimeout}}
	secure := tls.NewListener(listener,
		&tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}})
	go func() { _ = s.server.Serve(secure) }() // ends with stop
	return s, nil
}

func (s *logServer) stop() { _ = s.server.Close() }

// serveLog answers with all that the container has written so far; it does not follow.
func (k *Kubelet) serveLog(w http.ResponseWriter, r *http.Request) {
	log, err := os.Open(k.logFile(r.PathValue("pod"), r.PathValue("container")))
	if err != nil || r.PathValue("namespace") != KubeletNamespace {
		http.Error(w, "nothing of this container runs here", http.StatusNotFound)
		return
	}
	defer log.Close()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.Copy(w, log) // kube-apiserver notices what is missing
}
