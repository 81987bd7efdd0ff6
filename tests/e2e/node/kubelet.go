package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

// Name is the node's.
const Name = "real"

// diskOptions bound what pods can fill: all that kubelet counts as its node's disk.
const diskOptions = "size=256m,mode=0755"

// kubeletConfig: folder, authority, address of the DNS, that of the node, cgroup. A pod is evicted
// when half of the disk is full, and the node is well again as soon as it is gone. Another kubelet
// may be on the same machine, so this one listens at its node's address alone.
const kubeletConfig = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://%[1]s/containerd.sock
address: %[4]s
healthzBindAddress: %[4]s
cgroupDriver: cgroupfs
cgroupRoot: %[5]s
failCgroupV1: false
failSwapOn: false
clusterDNS: [%[3]s]
clusterDomain: cluster.local
resolvConf: ""
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: %[2]s}}
authorization: {mode: Webhook}
evictionHard: {memory.available: 100Mi, nodefs.available: 128Mi}
evictionPressureTransitionPeriod: 1s
nodeStatusUpdateFrequency: 1s
volumeStatsAggPeriod: 5s
# Unused images are never removed, however full the machine's disk is: there is nowhere to pull them from.
imageGCHighThresholdPercent: 100
# A changed Secret comes into a pod when that is looked at next: a minute and more by default.
syncFrequency: 1s
podLogsDir: %[1]s/pod-logs
volumePluginDir: %[1]s/volume-plugins
`

const proxyConfig = `
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: %s
clusterCIDR: %s
clientConnection: {kubeconfig: %s}
conntrack: {maxPerCore: 0}
`

func (n *Node) startKubelet(ctx context.Context) error {
	kubeconfig, err := n.box.KubeconfigFor("system:node:"+n.name, "system:nodes")
	if err != nil {
		return err
	}
	root := filepath.Join(n.folder, "kubelet")
	if err := mountDisk(root); err != nil {
		return err
	}
	config := filepath.Join(n.folder, "kubelet.yaml")
	if err := writeAll(map[string]string{
		config: fmt.Sprintf(kubeletConfig, n.folder, n.box.AuthorityFile(), dnsAddress, n.address,
			n.cgroups),
	}); err != nil {
		return err
	}
	n.kubelet, err = n.box.Run(ctx, box.Daemon{
		Program: "kubelet", Name: "kubelet" + n.logs,
		Arguments: []string{"--config", config, "--kubeconfig", kubeconfig,
			"--hostname-override", n.name, "--node-ip", n.address,
			"--node-labels", n.labels,
			"--root-dir", root,
			"--cert-dir", filepath.Join(n.folder, "kubelet-certificates")},
		Ready: n.ready,
	})
	return err
}

// mountDisk makes a disk of its own of a folder, so that a test fills nobody else's.
func mountDisk(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, diskOptions); err != nil {
		return fmt.Errorf("mount a disk at %s: %w", folder, err)
	}
	return nil
}

func (n *Node) ready(ctx context.Context) error {
	node, err := n.box.Client.CoreV1().Nodes().Get(ctx, n.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready: %v", n.name, node.Status.Conditions)
}

func (n *Node) startProxy(ctx context.Context) error {
	kubeconfig, err := n.box.KubeconfigFor("system:kube-proxy")
	if err != nil {
		return err
	}
	config := filepath.Join(n.folder, "kube-proxy.yaml")
	err = writeAll(map[string]string{config: fmt.Sprintf(proxyConfig, n.name, n.pods, kubeconfig)})
	if err != nil {
		return err
	}
	n.proxy, err = n.box.Run(ctx, box.Daemon{
		Program: "kube-proxy", Arguments: []string{"--config", config},
		Ready: func(ctx context.Context) error {
			return answers(ctx, "http://"+n.address+":10256/healthz")
		},
	})
	return err
}
