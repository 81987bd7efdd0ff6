package rivals

import "time"

// heldSeconds are the devices that pods held while their gang was not whole, times the seconds: from
// the binding of each pod to that of its gang's last one, or to the end. bound has the pods with a
// node, by "<namespace>/<name>".
func heldSeconds(gangs []gang, bound map[string]time.Time, end time.Time) float64 {
	held := 0.0
	for _, g := range gangs {
		whole, isWhole := wholeAt(g, bound)
		if !isWhole {
			whole = end
		}
		for _, pod := range g.pods {
			if at, isBound := bound[keyOf(pod)]; isBound {
				held += float64(devicesOf(pod)) * whole.Sub(at).Seconds()
			}
		}
	}
	return held
}

// wholeAt is when the last pod of a gang was bound. False if one has no node.
func wholeAt(g gang, bound map[string]time.Time) (time.Time, bool) {
	var last time.Time
	for _, pod := range g.pods {
		at, isBound := bound[keyOf(pod)]
		if !isBound {
			return time.Time{}, false
		}
		if at.After(last) {
			last = at
		}
	}
	return last, true
}
