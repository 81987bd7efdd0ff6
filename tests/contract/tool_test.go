package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
)

var (
	scheme          = newScheme()
	protobufEncoder = encoderOf(protobuf.NewSerializer(scheme, scheme))
	jsonSerializer  = jsonserializer.NewSerializerWithOptions(
		jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{})
	jsonEncoder = encoderOf(jsonSerializer)
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}

// encoderOf writes kind and version too, as the API server does.
func encoderOf(s runtime.Encoder) runtime.Encoder {
	return serializer.NewCodecFactory(scheme).EncoderForVersion(s, corev1.SchemeGroupVersion)
}

func encode(t *testing.T, encoder runtime.Encoder, object runtime.Object) []byte {
	t.Helper()
	data, err := runtime.Encode(encoder, object)
	if err != nil {
		t.Fatalf("encode %T: %v", object, err)
	}
	return data
}

// watchEvent is the frame of an event, as the API server's watch handler encodes it.
func watchEvent(t *testing.T, eventType watch.EventType, object runtime.Object) []byte {
	t.Helper()
	event := metav1.WatchEvent{
		Type:   string(eventType),
		Object: runtime.RawExtension{Raw: encode(t, protobufEncoder, object)},
	}
	frame, err := event.Marshal()
	if err != nil {
		t.Fatalf("marshal watch event: %v", err)
	}
	return frame
}

// tool is a program of the release build, unless the environment variable names another.
func tool(t *testing.T, variable, target string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = filepath.Join("..", "..", "build", "release", filepath.FromSlash(target))
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run make build, or name the program in %s", err, variable)
	}
	return path
}

// decoded is one line of decode_corpus.
type decoded struct {
	line []byte
}

// failure is the sentence of an error, or empty.
func (d decoded) failure(t *testing.T) string {
	t.Helper()
	return as[struct{ Error string }](t, d).Error
}

func as[T any](t *testing.T, d decoded) T {
	t.Helper()
	var result T
	if err := json.Unmarshal(d.line, &result); err != nil {
		t.Fatalf("decode_corpus printed %q: %v", d.line, err)
	}
	return result
}

// decode has decode_corpus decode every record as `kind`, framed as watches are.
func decode(t *testing.T, kind string, records [][]byte) []decoded {
	t.Helper()
	var input bytes.Buffer
	frames := protobuf.LengthDelimitedFramer.NewFrameWriter(&input)
	for _, record := range records {
		if _, err := frames.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(tool(t, "BERTH_DECODE_CORPUS", "tests/contract/decode_corpus"), kind)
	command.Stdin = &input
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("decode_corpus %s: %v", kind, err)
	}
	var results []decoded
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 256<<20)
	for lines.Scan() {
		results = append(results, decoded{bytes.Clone(lines.Bytes())})
	}
	if len(results) != len(records) {
		t.Fatalf("decode_corpus %s: %d answers for %d records", kind, len(results), len(records))
	}
	return results
}
