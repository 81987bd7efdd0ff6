package gangs

import (
	"context"
	"maps"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/wire"
)

// Of berth.v1.Gangs in proto/berth/v1/gangs.proto.
const (
	listGangs  = "/berth.v1.Gangs/ListGangs"
	watchGangs = "/berth.v1.Gangs/WatchGangs"

	stateReleased = 4
	eventReleased = 4
	eventLeft     = 6
)

// told is what is read of a berth.v1.Gang or a berth.v1.GangChange.
type told struct {
	name                string
	size, step, running uint64
	spans               map[string]uint64 // domains by label
}

func (got told) equals(want told) bool {
	return got.name == want.name && got.size == want.size && got.step == want.step &&
		got.running == want.running && maps.Equal(got.spans, want.spans)
}

// fields are the numbers of those in a message.
type fields struct{ name, step, size, running, spans protowire.Number }

var (
	gangFields   = fields{name: 2, step: 3, size: 5, running: 7, spans: 11}
	changeFields = fields{name: 3, step: 5, size: 4, running: 9, spans: 8}
)

// read reads an answer, in which the gangs, or the one that changes, are field 1.
func (f fields) read(message []byte) (gangs []told, err error) {
	err = wire.EachField(message, func(field protowire.Number, _ uint64, content []byte) error {
		if field != 1 {
			return nil
		}
		gang, err := f.readOne(content)
		gangs = append(gangs, gang)
		return err
	})
	return gangs, err
}

func (f fields) readOne(message []byte) (told, error) {
	gang := told{spans: map[string]uint64{}}
	err := wire.EachField(message, func(field protowire.Number, number uint64, content []byte) error {
		switch field {
		case f.name:
			gang.name = string(content)
		case f.step:
			gang.step = number
		case f.size:
			gang.size = number
		case f.running:
			gang.running = number
		case f.spans:
			return gang.addSpan(content)
		}
		return nil
	})
	return gang, err
}

func (got told) addSpan(message []byte) error {
	var label string
	var domains uint64
	err := wire.EachField(message, func(field protowire.Number, number uint64, content []byte) error {
		if field == 1 {
			label = string(content)
		} else {
			domains = number
		}
		return nil
	})
	got.spans[label] = domains
	return err
}

// awaitListed waits until the controller leads and knows these gangs.
func (w *world) awaitListed(want ...told) {
	w.Helper()
	w.Await("the controller to list the gangs", func() bool {
		call, err := wire.Start(w.Context(), controller.GRPC, listGangs)
		w.Check("list gangs", err)
		defer call.Close()
		message, err := call.Next()
		if err != nil {
			w.Logf("list gangs: %v", err) // it may not lead yet
			return false
		}
		got, err := gangFields.read(message)
		w.Check("read the gangs", err)
		if len(got) != len(want) {
			return false
		}
		for i := range got {
			if !got[i].equals(want[i]) {
				return false
			}
		}
		return true
	})
}

// watch is a stream of changes of gangs from now on.
func (w *world) watch() *wire.Call {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), awaitTimeout)
	w.Cleanup(cancel)
	call, err := wire.Start(ctx, controller.GRPC, watchGangs)
	w.Check("watch gangs", err)
	w.Cleanup(call.Close)
	return call
}

// expectNext waits for the next change of that kind, of whatever gang.
func (w *world) expectNext(changes *wire.Call, want told) {
	w.Helper()
	for {
		message, err := changes.Next()
		w.Check("wait for a change", err)
		got, err := changeFields.read(message)
		w.Check("read the change", err)
		if len(got) != 1 {
			w.Fatalf("changes %+v, want one", got)
		}
		if got[0].step != want.step {
			continue
		}
		if !got[0].equals(want) {
			w.Errorf("told %+v, want %+v", got[0], want)
		}
		return
	}
}

// Whoever asks the controller over gRPC learns what becomes of a gang.
func TestWhatBecomesOfAGangIsToldOverGRPC(t *testing.T) {
	w := fresh(t)
	w.away(shared.Scheduler)
	w.awaitListed()
	changes := w.watch()
	const pods = rackNodes // one each, which is a rack
	rack := map[string]uint64{fleet.LabelRack: 1}
	w.create(members("sweep", pods, devices)...)
	w.expectNext(changes, told{name: "sweep", step: eventReleased, size: pods, spans: rack})
	w.awaitListed(told{name: "sweep", step: stateReleased, size: pods, spans: rack})
	w.back(shared.Scheduler)
	w.expectNext(changes, told{name: "sweep", step: eventLeft, size: pods, running: pods})
	w.awaitListed()
}
