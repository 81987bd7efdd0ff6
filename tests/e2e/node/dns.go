package node

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	dnsImage   = "e2e.berth.dev/coredns:1" // as dns.yaml says
	dnsTimeout = time.Minute
)

//go:embed dns.yaml
var dnsObjects string

func (n *Node) startDNS(ctx context.Context) error {
	kubectl, err := box.Program("kubectl")
	if err != nil {
		return err
	}
	create := exec.CommandContext(ctx, kubectl, "--kubeconfig", n.box.Kubeconfig, "create", "-f", "-")
	create.Stdin = strings.NewReader(dnsObjects)
	if said, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("create the DNS: %w\n%s", err, said)
	}
	ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	for {
		dns, err := n.box.Client.AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns",
			metav1.GetOptions{})
		if err == nil && dns.Status.ReadyReplicas > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the DNS is not ready: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
