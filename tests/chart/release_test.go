// Package chart holds charts/berth to its promises as far as that takes no installation: what Helm
// renders for many values, and what it refuses.
package chart

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetes "k8s.io/client-go/kubernetes/scheme"

	"berth.dev/berth/tests/e2e/box"
)

// installation says what is rendered.
type installation struct {
	name      string // of the release; default: berth
	namespace string // default: berth-system
	values    string // YAML
}

// object is anything that has a name.
type object interface {
	runtime.Object
	metav1.Object
}

// release is what the chart renders for some values.
type release struct {
	testing.TB
	text    string
	objects []object
}

// render renders the chart for values, YAML text.
func render(t testing.TB, values string) *release {
	t.Helper()
	return installation{values: values}.render(t)
}

func (i installation) render(t testing.TB) *release {
	t.Helper()
	text, err := i.template(t)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{TB: t, text: text}
	documents := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(text)))
	buffer := make([]byte, len(text))
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return r
		} else if err != nil {
			t.Fatal(err)
		}
		r.objects = append(r.objects, decode(t, buffer[:n]))
	}
}

// rendered is what was rendered before: a start of helm takes it a quarter of a second.
var rendered = map[installation]string{}

// template is what helm template writes; an error is what it says instead.
func (i installation) template(t testing.TB) (string, error) {
	t.Helper()
	i.name, i.namespace = cmp.Or(i.name, "berth"), cmp.Or(i.namespace, "berth-system")
	if text, known := rendered[i]; known {
		return text, nil
	}
	text, err := run(t, i.values, program(t, "helm"), "template", i.name, chartFolder(t),
		"--namespace", i.namespace, "--values", "-")
	if err == nil {
		rendered[i] = text
	}
	return text, err
}

// refused is what helm says instead of rendering the chart.
func (i installation) refused(t testing.TB) string {
	t.Helper()
	if _, err := i.template(t); err != nil {
		return err.Error()
	}
	t.Errorf("%+v is rendered", i)
	return ""
}

// run runs a program; an error is what it writes to standard error.
func run(t testing.TB, stdin, path string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), errors.Join(err, errors.New(stderr.String()))
	}
	return stdout.String(), nil
}

var codecs = serializer.NewCodecFactory(newScheme(), serializer.EnableStrict)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kubernetes.AddToScheme, monitoringv1.AddToScheme, certmanagerv1.AddToScheme,
		addNodeOperations,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

// decode reads an object by Kubernetes' own types, strictly.
func decode(t testing.TB, document []byte) object {
	t.Helper()
	decoded, _, err := codecs.UniversalDeserializer().Decode(document, nil, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	return decoded.(object)
}

// all are the release's objects of a type.
func all[T object](r *release) []T {
	var found []T
	for _, o := range r.objects {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	return found
}

// named is the object of a type and a name; the test ends where there is none.
func named[T object](r *release, name string) T {
	r.Helper()
	for _, o := range all[T](r) {
		if o.GetName() == name {
			return o
		}
	}
	var none T
	r.Fatalf("the release has no %T %s", none, name)
	return none
}

func has[T object](r *release, name string) bool {
	for _, o := range all[T](r) {
		if o.GetName() == name {
			return true
		}
	}
	return false
}

func repoRoot(t testing.TB) string {
	t.Helper()
	root, err := box.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func chartFolder(t testing.TB) string { return filepath.Join(repoRoot(t), "charts", "berth") }

// program is one of those that build.sh builds.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := box.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// berth runs a subcommand and returns what it writes.
func berth(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	path, err := box.BerthBinary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := run(t, stdin, path, args...)
	if err != nil {
		t.Fatalf("berth %s: %v", strings.Join(args, " "), err)
	}
	return text
}
