package placing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/echo"
	"berth.dev/berth/tests/e2e/box"
)

// StartWay starts the programs of a way, none of which may run: Berth's extender, then its
// controller, which leads, then kube-scheduler. All of them know the nodes. Returns how long the
// extender took.
func (c *Cluster) StartWay(ctx context.Context, w Way) (ready time.Duration, err error) {
	if w.AsksBerth() {
		if ready, err = c.startExtender(ctx, w); err != nil {
			return 0, err
		}
	}
	if w.HasController() {
		if err := errors.Join(c.startController(ctx, w, 0), c.awaitHeard(ctx)); err != nil {
			return 0, err
		}
	}
	return ready, c.startScheduler(ctx, w)
}

// StopWay stops what StartWay has started.
func (c *Cluster) StopWay() {
	c.Box.Scheduler.Stop()
	for _, each := range c.Controllers {
		each.Stop()
	}
	c.Box.Berth.Stop()
}

func (c *Cluster) startExtender(ctx context.Context, w Way) (time.Duration, error) {
	config, err := w.berthConfig(c.shipped)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := c.Box.ReconfigureBerth(ctx, config); err != nil {
		return 0, err
	}
	ready := time.Since(begin)
	return ready, c.awaitNodes(ctx)
}

// StartStandby starts a second controller, which waits for the first to lead no more.
func (c *Cluster) StartStandby(ctx context.Context, w Way) error {
	return c.startController(ctx, w, 1)
}

// startController starts the controller with this index and returns when one leads.
func (c *Cluster) startController(ctx context.Context, w Way, index int) error {
	config, err := w.berthConfig(c.shipped)
	if err != nil {
		return err
	}
	if err := c.makeController(index, config); err != nil {
		return err
	}
	if err := c.Box.GrantController(ctx, c.Controllers[index]); err != nil {
		return err
	}
	if err := c.Controllers[index].Start(ctx); err != nil {
		return err
	}
	return c.AwaitLeader(ctx)
}

// awaitHeard returns when the extender knows that a controller leads: before that it does not veto
// preemption. A Lease that it reads for the first time proves nothing.
func (c *Cluster) awaitHeard(ctx context.Context) error {
	return box.Poll(ctx, awaitTimeout, "the extender to hear of a controller that leads",
		func(ctx context.Context) (bool, error) {
			samples, err := c.Box.Berth.Metrics(ctx)
			heard := samples.With("berth_extender_controller_leads")
			return err == nil && (len(heard) == 0 || heard[0].Value == 1), nil // none: an older version
		})
}

// AwaitLeader returns when a controller leads.
func (c *Cluster) AwaitLeader(ctx context.Context) error {
	return box.Poll(ctx, awaitTimeout, "a controller to lead", func(ctx context.Context) (bool, error) {
		return c.Leader(ctx) != nil, nil
	})
}

// makeController has the controller with this index take a configuration, and makes it before.
func (c *Cluster) makeController(index int, config map[string]any) error {
	if index < len(c.Controllers) {
		return c.Controllers[index].Configure(config)
	}
	made, err := c.Box.NewController(fmt.Sprintf("controller-%d", index+1), config)
	if err != nil {
		return err
	}
	c.Controllers = append(c.Controllers, made)
	return nil
}

// Leader is the controller that leads; nil: none.
func (c *Cluster) Leader(ctx context.Context) *box.Controller {
	for _, each := range c.Controllers {
		if !each.Running() {
			continue
		}
		samples, err := each.Metrics(ctx)
		if err == nil && samples.Sum("berth_controller_leads") == 1 {
			return each
		}
	}
	return nil
}

func (c *Cluster) startScheduler(ctx context.Context, w Way) error {
	if w.extender == asksEcho && c.echo == nil {
		c.echo = echo.Start()
	}
	if err := c.Box.UseScheduler(cmp.Or(w.program, "kube-scheduler")); err != nil {
		return err
	}
	var failure error
	err := c.Box.ReconfigureScheduler(ctx, func(config *schedulerconfig.KubeSchedulerConfiguration) {
		failure = w.configure(config, c.shipped, c.echo)
	})
	return errors.Join(failure, err)
}

// CPU are the seconds that programs have used since their start, those that run.
type CPU struct{ Scheduler, Extender, Controller, APIServer float64 }

// CPU reads what was used so far.
func (c *Cluster) CPU() (CPU, error) {
	var used CPU
	var failures []error
	add := func(process *box.Process, to *float64) {
		if !process.Running() {
			return
		}
		usage, err := process.Usage()
		*to += usage.CPUSeconds
		failures = append(failures, err)
	}
	add(c.Box.Scheduler, &used.Scheduler)
	add(c.Box.Berth.Process, &used.Extender)
	add(c.Box.APIServer, &used.APIServer)
	for _, each := range c.Controllers {
		add(each.Process, &used.Controller)
	}
	return used, errors.Join(failures...)
}

// Since is what was used since an earlier reading.
func (u CPU) Since(before CPU) CPU {
	return CPU{u.Scheduler - before.Scheduler, u.Extender - before.Extender,
		u.Controller - before.Controller, u.APIServer - before.APIServer}
}
