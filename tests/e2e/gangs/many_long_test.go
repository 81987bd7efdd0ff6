//go:build long

package gangs

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
	"berth.dev/berth/tests/e2e/witness"
)

var (
	manyNodes = flag.Int("nodes", 60, "nodes of the cluster with many gangs")
	manyGangs = flag.Int("gangs", 10, "gangs of 2 to 64 pods")
)

const (
	singlesBeside = 50 // single pods for each gang
	// How many pods at most are about to start when the next gang is created. On a slow machine
	// kube-scheduler has thousands of them in its queue otherwise, and each pod of a gang waits there for
	// longer than the timeout.
	aboutToStart = 500
	manyFaults   = 500 * time.Millisecond
	// From the last creation until all single pods have ended, and from then on until all Jobs have. A slow
	// machine needs most of it: kube-apiserver alone takes one of two cores for some 100 writes a second.
	manyPatience = 25 * time.Minute
	runs         = 3 * time.Second // a gang that is whole
	// From the end of a controller until the next one may evict a gang: the Lease lasts for 15 s, the next
	// looks at it every 4.4 s at most, and the gang has 10 s from then on. It has 20 s if a pod of it is
	// behind the gate, which the slack has to cover.
	takeover = 30 * time.Second
)

var manyLast = churn.Span{Least: 4 * time.Second, Most: 12 * time.Second}

// crowd is a large box with gangs, single pods beside them, and nodes that break.
type crowd struct {
	*world
	random *rand.Rand
	jobs   map[string]string // gangs by the names of their Jobs
	away   []witness.Span    // when nobody could evict, or was to
}

// In full it takes -nodes 1000 -gangs 200 -timeout 90m, and has 10,000 single pods beside them.
//
// Gangs of 2 to 64 pods come among single pods, nodes break all the while, and every program is killed
// once. In the end all have run; no gang ran partly for longer than the timeout, but for the time in
// which no controller led or a new one gave it its chance; no node had more pods than it has room for,
// and nobody got a node that was known to be broken.
func TestManyGangsAmongSinglesWhileEverythingFails(t *testing.T) {
	c := startCrowd(t)
	var names []string
	for i := range *manyNodes {
		names = append(names, crowdPool().NodeName(i))
	}
	storm := churn.StartStorm(context.WithoutCancel(t.Context()), shared.Client, churn.Weather{
		Nodes: names, Every: manyFaults, Lasts: manyLast, Seed: 1})
	begin := time.Now()
	ended := make(chan struct{})
	enough, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		c.endWholeGangs(enough)
	}()
	c.createAll(storm)
	t.Logf("all are created after %.0f s", time.Since(begin).Seconds())
	c.awaitSingles()
	c.awaitJobs()
	cancel()
	<-ended
	t.Logf("all have ended after %.0f s; %d nodes broke", time.Since(begin).Seconds(), storm.Begun())
	c.Check("end the storm", storm.Stop(context.WithoutCancel(t.Context())))
	c.report()
}

func crowdPool() fleet.Pool {
	v100 := pool()
	v100.Nodes, v100.RackNodes = *manyNodes, 32
	return v100
}

// startCrowd has the tests' helpers use a large box until the test ends.
func startCrowd(t *testing.T) *crowd {
	t.Helper()
	formerBox, formerController, formerWebhook := shared, controller, webhook
	t.Cleanup(func() { shared, controller, webhook = formerBox, formerController, formerWebhook })
	large := box.ForTest(t, options())
	w := &world{Test: box.Test{T: t, Timeout: manyPatience}}
	w.Check("fill the box", fillWith(t.Context(), large, crowdPool(), admissionv1.Fail))
	w.Await("Berth to know all nodes", func() bool {
		samples, err := shared.Berth.Metrics(t.Context())
		return err == nil && samples.Sum("berth_nodes") == float64(*manyNodes)
	})
	var err error
	w.seen, err = witness.Watch(t.Context(), shared.Client, namespace, devices)
	w.Check("watch pods", err)
	w.judge, err = judge.Start(context.WithoutCancel(t.Context()), shared.Client,
		judge.ExcludingRules(), box.ManagedResources, shared.DecisionsAddress())
	w.Check("start the judge", err)
	t.Cleanup(w.conclude)
	return &crowd{world: w, random: rand.New(rand.NewPCG(1, 21)), jobs: map[string]string{}}
}

// createAll creates gangs, each with single pods beside it, and has programs fail in between.
func (c *crowd) createAll(storm *churn.Storm) {
	c.Helper()
	kill := func(program *box.Process) func() {
		return func() {
			program.Kill()
			c.back(program)
		}
	}
	at := func(percent int) int { return *manyGangs * percent / 100 }
	// A controller leads once the Lease of the one that was killed has run out.
	leaderless := func() {
		begin := time.Now()
		kill(controller.Process)()
		c.away = append(c.away, witness.Span{From: begin, To: begin.Add(takeover)})
	}
	calmly := func(program *box.Process) func() {
		return func() {
			resume := storm.Pause()
			defer resume()
			begin := time.Now()
			kill(program)()
			c.away = append(c.away, witness.Span{From: begin, To: time.Now()})
		}
	}
	events := map[int]func(){
		at(15): kill(shared.Scheduler), at(25): leaderless, at(35): kill(shared.Berth.Process),
		at(45): kill(shared.ControllerManager), at(55): c.killWebhook,
		at(65): calmly(shared.APIServer), at(70): calmly(shared.Etcd),
		at(75): kill(shared.Kwok), at(80): kill(shared.Scheduler), at(90): leaderless,
	}
	for i := range *manyGangs {
		if happens := events[i]; happens != nil {
			happens()
		}
		c.Await("kube-scheduler and the kubelets to catch up", func() bool {
			return c.seen.Count(isAboutToStart) < aboutToStart
		})
		c.createGang(i)
		var pods []*corev1.Pod
		for j := range singlesBeside {
			pod := single(fmt.Sprintf("single-%05d", i*singlesBeside+j), "", 1)
			pod.Annotations[fleet.FateAnnotation] = fleet.FateSucceeded
			pods = append(pods, pod)
		}
		c.create(pods...)
	}
}

func isAboutToStart(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && !witness.IsGated(*pod)
}

// killWebhook returns when Jobs can be created again: the API server finds out by a request which fails
// that its connection to the webhook has ended.
func (c *crowd) killWebhook() {
	c.Helper()
	webhook.Kill()
	c.back(webhook.Process)
	c.Await("the API server to reach the webhook again", func() bool {
		_, err := shared.Client.BatchV1().Jobs(namespace).Create(c.Context(), gangJob("probe", 2, 1),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil
	})
}

func (c *crowd) createGang(index int) {
	c.Helper()
	job := gangJob(fmt.Sprintf("gang-%03d", index), 2+c.random.IntN(63), int64(1)<<c.random.IntN(4))
	c.jobs[job.Name] = c.start(job)
}

// endWholeGangs has the pods of each gang succeed some time after the last one of them runs, until ctx
// ends. So do those that are made anew meanwhile, and all of a further start.
func (c *crowd) endWholeGangs(ctx context.Context) {
	ended := map[types.UID]bool{}
	ticker := time.NewTicker(runs / 10)
	defer ticker.Stop()
	for {
		for _, course := range c.seen.Courses() {
			if course.Since.IsZero() || time.Since(course.Since) < runs {
				continue
			}
			for name, pod := range course.Pods {
				if !ended[pod.UID] && pod.Spec.NodeName != "" {
					ended[pod.UID] = c.succeed(ctx, name)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (c *crowd) succeed(ctx context.Context, pod string) bool {
	err := fleet.Doom(ctx, shared.Client, namespace, pod, fleet.FateSucceeded)
	return err == nil || apierrors.IsNotFound(err)
}

func (c *crowd) awaitSingles() {
	c.Helper()
	c.Await("all single pods to succeed", func() bool {
		return c.seen.Count(func(pod *corev1.Pod) bool {
			return strings.HasPrefix(pod.Name, "single-") && pod.Status.Phase == corev1.PodSucceeded
		}) == *manyGangs*singlesBeside
	})
}

func (c *crowd) awaitJobs() {
	c.Helper()
	left := 0
	if box.HoldsWithin(manyPatience, func() bool {
		list, err := shared.Client.BatchV1().Jobs(namespace).List(c.Context(), metav1.ListOptions{})
		c.Check("list Jobs", err)
		left = len(list.Items)
		for _, job := range list.Items {
			if job.Status.CompletionTime != nil {
				left--
			}
		}
		return left == 0
	}) {
		return
	}
	for name, gang := range c.jobs {
		course := c.seen.Courses()[gang]
		for _, pod := range course.Pods {
			if !witness.HasEnded(pod) {
				c.Errorf("%s (%d pods, whole at %s): %s on %q, nominated %q, says %+v", name,
					len(course.Pods), course.Whole, pod.Name, pod.Spec.NodeName, pod.Status.NominatedNodeName,
					conditionOf(*pod))
				break
			}
		}
	}
	c.Fatalf("%d Jobs are not complete", left)
}

func (c *crowd) report() {
	c.Helper()
	var longest []time.Duration
	for name, course := range c.seen.Courses() {
		if course.Whole.IsZero() {
			c.Errorf("%s was never whole", name)
		}
		for _, span := range course.Partly {
			if beside := span.Beside(c.away); beside > timeout+slack {
				c.Errorf("%s ran partly for %s, %s of it while somebody could evict it", name,
					span.To.Sub(span.From), beside)
			}
		}
		longest = append(longest, course.Longest())
	}
	slices.Sort(longest)
	c.Logf("%d gangs ran partly for %s (median), %s at most", len(longest), longest[len(longest)/2],
		longest[len(longest)-1])
	if len(longest) != *manyGangs {
		c.Errorf("%d gangs were seen, want %d", len(longest), *manyGangs)
	}
}
