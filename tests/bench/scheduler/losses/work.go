package losses

import "time"

// crashTime is how long a pod lives on a node whose fault makes it fail.
const crashTime = 2 * time.Second

// state is what has become of a pod.
type state int

const (
	running state = iota
	succeeded
	failed
)

// fate is what has become of a pod, and how long it has worked.
type fate struct {
	state  state
	worked time.Duration
}

// fateOf says what has become by now of a pod that got its node at bound, with so much work left. The
// faults are those of its node, in order.
func fateOf(faults []fault, bound, left, now time.Duration) fate {
	for _, f := range faults {
		if f.ends <= bound || f.begins >= min(bound+left, now) {
			continue
		}
		hit := max(bound, f.begins)
		end := f.ends
		if !f.hangs {
			end = min(hit+crashTime, f.ends)
		}
		if now < end {
			return fate{running, hit - bound}
		}
		return fate{failed, hit - bound}
	}
	if now >= bound+left {
		return fate{succeeded, left}
	}
	return fate{running, max(0, now-bound)}
}

// job is work that pods do one after the other.
type job struct {
	name    string
	devices int64
	needs   time.Duration
	done    time.Duration // up to the last checkpoint of the pods before this one
	tries   int
	last    bool // no further one comes in its place
}

// ledger adds up what pods held and did, in devices times time.
type ledger struct {
	checkpoint time.Duration
	held       time.Duration
	lasting    time.Duration
}

// end notes a pod that has ended, or was evicted, and what of its work lasts.
func (l *ledger) end(j *job, held time.Duration, became fate) {
	lasts := became.worked
	if became.state != succeeded {
		lasts -= (j.done + lasts) % l.checkpoint
	}
	l.note(j, held, lasts)
	j.done += lasts
}

// stillRuns notes a pod that goes on: the work since its last checkpoint is not lost yet.
func (l *ledger) stillRuns(j *job, held time.Duration, became fate) { l.note(j, held, became.worked) }

func (l *ledger) note(j *job, held, lasts time.Duration) {
	l.held += time.Duration(j.devices) * held
	l.lasting += time.Duration(j.devices) * lasts
}
