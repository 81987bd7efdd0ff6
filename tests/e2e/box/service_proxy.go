package box

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const dialTimeout = 2 * time.Second

// ServiceProxy stands for kube-proxy and for the cluster's DNS. Who asks it for a tunnel (HTTP CONNECT)
// to a port of a Service in KubeletNamespace, by cluster IP or by name, is connected to the pods
// behind it in turn; who asks for a pod's address, to that pod; who asks for a kubelet, to ours. As
// with kube-proxy, a pod whose program has just died is still tried, and then nothing else.
// Thread-safe.
type ServiceProxy struct {
	URL string // for HTTPS_PROXY

	socket   string // the same for kube-apiserver
	kubelet  *Kubelet
	server   *http.Server
	relaying relays
	turn     atomic.Uint64
}

// startServiceProxy listens on a free loopback port and on a socket in the folder.
func startServiceProxy(dir string, kubelet *Kubelet) (*ServiceProxy, error) {
	socket := filepath.Join(dir, "services.sock")
	local, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	network, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = local.Close()
		return nil, err
	}
	p := &ServiceProxy{URL: "http://" + network.Addr().String(), socket: socket, kubelet: kubelet}
	p.server = &http.Server{Handler: http.HandlerFunc(p.connect), ReadHeaderTimeout: dialTimeout}
	go func() { _ = p.server.Serve(local) }() // ends with stop
	go func() { _ = p.server.Serve(network) }()
	return p, nil
}

// stop closes every connection and returns when nothing is relayed any more.
func (p *ServiceProxy) stop() {
	_ = p.server.Close()
	p.relaying.closeAll()
}

// writeEgress writes the configuration with which kube-apiserver asks the proxy for what it calls in
// the cluster (k8s.io/apiserver/pkg/server/egressselector), and returns its path.
func (p *ServiceProxy) writeEgress(dir string) (string, error) {
	path := filepath.Join(dir, "egress.yaml")
	return path, os.WriteFile(path, fmt.Appendf(nil, `
apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport: {uds: {udsName: %q}}
`, p.socket), 0o600)
}

func (p *ServiceProxy) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "CONNECT is all that is answered", http.StatusMethodNotAllowed)
		return
	}
	server, err := p.dial(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, _, err := w.(http.Hijacker).Hijack() // in TLS the client waits before it speaks
	if err != nil {
		_ = server.Close()
		return
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		_, _ = client.Close(), server.Close()
		return
	}
	p.relaying.relay(client, server)
}

// dial connects to the next of the pods behind host:port.
func (p *ServiceProxy) dial(target string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	if number == kubeletPort {
		return net.DialTimeout("tcp", p.kubelet.logs.address, dialTimeout)
	}
	pods, err := p.kubelet.endpoints(host, number)
	if err != nil {
		return nil, err
	}
	chosen := pods[int(p.turn.Add(1)%uint64(len(pods)))]
	return net.DialTimeout("tcp", chosen, dialTimeout)
}

// endpoints are host:port of the pods that serve a port of the Service or of the one pod with this
// address, at least one.
func (k *Kubelet) endpoints(host string, port int) ([]string, error) {
	for _, p := range k.all() {
		if number := p.numbers[int32(port)]; p.ip == host && number != 0 {
			return []string{address(number)}, nil
		}
	}
	service, target := k.servicePort(host, port)
	if service == nil {
		return nil, fmt.Errorf("no Service has %s and port %d", host, port)
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	var found []string
	for _, p := range k.all() {
		number := p.hostPort(target)
		if number != 0 && selector.Matches(labels.Set(p.object.Labels)) && p.serves(time.Now()) {
			found = append(found, address(number))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no pod behind Service %s is ready", service.Name)
	}
	slices.Sort(found) // else nobody's turn comes
	return found, nil
}

func (k *Kubelet) servicePort(host string, port int) (*corev1.Service, intstr.IntOrString) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.services {
		service := &k.services[i]
		if !slices.Contains(hostsOf(service), host) {
			continue
		}
		for _, of := range service.Spec.Ports {
			if int(of.Port) == port {
				return service, of.TargetPort
			}
		}
	}
	return nil, intstr.IntOrString{}
}

// hostsOf are the addresses of a Service, and the names that the cluster's DNS would have for it.
func hostsOf(service *corev1.Service) []string {
	name := service.Name + "." + service.Namespace
	return append(slices.Clone(service.Spec.ClusterIPs), service.Name, name, name+".svc",
		name+".svc.cluster.local")
}
