package lists

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// stream sends the events of one watch as k8s.io/apiserver/pkg/endpoints/handlers/watch.go does: an
// object is encoded, then the event that holds it, then come its length and itself.
type stream struct {
	objects runtime.Encoder
	events  runtime.Encoder
	frames  io.Writer
	flush   func() error
	object  bytes.Buffer
	event   bytes.Buffer
}

// newStream begins the reply.
func newStream(w http.ResponseWriter) (*stream, error) {
	info, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(),
		runtime.ContentTypeProtobuf)
	if !found {
		return nil, fmt.Errorf("client-go does not know %s", runtime.ContentTypeProtobuf)
	}
	w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
	w.WriteHeader(http.StatusOK)
	s := &stream{
		objects: scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion),
		events: scheme.Codecs.EncoderForVersion(info.StreamSerializer.Serializer,
			corev1.SchemeGroupVersion),
		frames: info.StreamSerializer.Framer.NewFrameWriter(w),
		flush:  http.NewResponseController(w).Flush,
	}
	return s, s.flush()
}

// send may be seen by the client only after a flush.
func (s *stream) send(event string, object runtime.Object) error {
	s.object.Reset()
	if err := s.objects.Encode(object, &s.object); err != nil {
		return err
	}
	s.event.Reset()
	err := s.events.Encode(&metav1.WatchEvent{Type: event,
		Object: runtime.RawExtension{Raw: s.object.Bytes()}}, &s.event)
	if err != nil {
		return err
	}
	_, err = s.frames.Write(s.event.Bytes())
	return err
}
