package box

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// startInterval is how often a program is probed that has not been ready yet; afterwards its own
// period holds.
const startInterval = 200 * time.Millisecond

// prober asks what kubelet asks; it does not verify certificates either
// (pkg/probe/http/http.go in Kubernetes 1.36.3).
var prober = &http.Client{Transport: &http.Transport{
	TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
}}

// watchReadiness probes the running program until it has exited. Without a probe it is ready at once.
func (c *container) watchReadiness(exited <-chan struct{}) {
	probe := c.spec.ReadinessProbe
	if probe == nil {
		c.setReady(true)
		return
	}
	url, interval, failures := c.probeURL(probe.HTTPGet), startInterval, int32(0)
	for {
		if isHealthy(url, probe.TimeoutSeconds) {
			failures, interval = 0, time.Duration(probe.PeriodSeconds)*time.Second
			c.setReady(true)
		} else if failures++; failures >= probe.FailureThreshold {
			c.setReady(false)
		}
		select {
		case <-exited:
			return
		case <-time.After(interval):
		}
	}
}

func (c *container) probeURL(get *corev1.HTTPGetAction) string {
	scheme := strings.ToLower(string(get.Scheme)) // the API server's default is HTTP
	return scheme + "://" + address(c.pod.hostPort(get.Port)) + get.Path
}

func isHealthy(url string, timeoutSeconds int32) bool {
	ctx, cancel := context.WithTimeout(context.Background(),
		time.Duration(timeoutSeconds)*time.Second)
	defer cancel()
	return probe(ctx, prober, url) == nil
}
