package lists

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// encoder writes the events of a watch as k8s.io/apiserver/pkg/endpoints/handlers/watch.go does: an
// object is encoded, then the event that holds it, then come its length and itself.
type encoder struct {
	objects runtime.Encoder
	events  runtime.Encoder
	frames  io.Writer
	object  bytes.Buffer
	event   bytes.Buffer
}

func newEncoder(w io.Writer) (*encoder, error) {
	info, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(),
		runtime.ContentTypeProtobuf)
	if !found {
		return nil, fmt.Errorf("client-go does not know %s", runtime.ContentTypeProtobuf)
	}
	return &encoder{
		objects: scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion),
		events: scheme.Codecs.EncoderForVersion(info.StreamSerializer.Serializer,
			corev1.SchemeGroupVersion),
		frames: info.StreamSerializer.Framer.NewFrameWriter(w),
	}, nil
}

func (e *encoder) encode(event watch.EventType, object runtime.Object) error {
	e.object.Reset()
	if err := e.objects.Encode(object, &e.object); err != nil {
		return err
	}
	e.event.Reset()
	err := e.events.Encode(&metav1.WatchEvent{Type: string(event),
		Object: runtime.RawExtension{Raw: e.object.Bytes()}}, &e.event)
	if err != nil {
		return err
	}
	_, err = e.frames.Write(e.event.Bytes())
	return err
}

// stream is the reply to one watch. What is encoded or written may be seen by the client only after
// a flush.
type stream struct {
	*encoder
	io.Writer
	flush func() error
}

// newStream begins the reply.
func newStream(w http.ResponseWriter) (*stream, error) {
	e, err := newEncoder(w)
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
	w.WriteHeader(http.StatusOK)
	s := &stream{encoder: e, Writer: w, flush: http.NewResponseController(w).Flush}
	return s, s.flush()
}
