package contract

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4" // what kube-apiserver applies patches with
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	generatedObjects = 400
	longestWarning   = 120
	longestForetold  = 250                        // of a denial, which advises
	webhookName      = "enforce.mutate.berth.dev" // as the chart names it
)

// auditText says which version of Berth did what.
var auditText = regexp.MustCompile(`^\d+\.\d+\.\d+\S*: .`)

// review asks about the creation of an object as kube-apiserver does.
func review(t *testing.T, url string, object runtime.Object, raw []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	kind, resource := metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
		metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	if _, isJob := object.(*batchv1.Job); isJob {
		kind, resource = metav1.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"},
			metav1.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	}
	uid := types.UID("705ab4f5-6393-11e8-b7cc-42010a800002")
	reply := ask[admissionv1.AdmissionReview](t, url, admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: uid, Kind: kind, Resource: resource, RequestKind: &kind, RequestResource: &resource,
			Namespace: "team", Operation: admissionv1.Create, DryRun: new(bool),
			UserInfo: authenticationv1.UserInfo{Username: "alice",
				Groups: []string{"system:authenticated"}},
			Object: runtime.RawExtension{Raw: raw},
		},
	})
	if reply.Response == nil || reply.Response.UID != uid || reply.Kind != "AdmissionReview" ||
		reply.APIVersion != "admission.k8s.io/v1" {
		t.Fatalf("the answer is %s", jsonOf(t, reply))
	}
	for _, warning := range reply.Response.Warnings {
		longest := longestWarning
		if strings.Contains(warning, "denied: ") {
			longest = longestForetold
		}
		if len(warning) > longest {
			t.Errorf("a warning of %d bytes: %s", len(warning), warning)
		}
	}
	for key, text := range reply.Response.AuditAnnotations {
		// kube-apiserver puts the webhook's name before the key, and drops what is no qualified name
		// (k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go).
		for _, objection := range validation.IsQualifiedName(webhookName + "/" + key) {
			t.Errorf("audit annotation %q: %s", key, objection)
		}
		if !auditText.MatchString(text) {
			t.Errorf("audit annotation %q: %q, want a version and what was done", key, text)
		}
	}
	return reply.Response
}

// patched is the object as kube-apiserver makes it of what Berth answers.
func patched(t *testing.T, raw []byte, response *admissionv1.AdmissionResponse) []byte {
	t.Helper()
	if len(response.Patch) == 0 {
		return raw
	}
	if response.PatchType == nil || *response.PatchType != admissionv1.PatchTypeJSONPatch {
		t.Fatalf("the patch is of type %v", response.PatchType)
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		t.Fatalf("%v in %s", err, response.Patch)
	}
	result, err := patch.Apply(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, response.Patch)
	}
	return result
}

// into decodes a pod or Job; what its type does not have is an error.
func into(t *testing.T, raw []byte, object runtime.Object) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(object); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	defaults(object) // kube-apiserver does so again after webhooks
}

func invalid(t *testing.T, object runtime.Object) field.ErrorList {
	t.Helper()
	if job, isJob := object.(*batchv1.Job); isJob {
		return invalidJob(t, job)
	}
	return invalidPod(t, object.(*corev1.Pod))
}

// empty is a new object of the same type: decoding into a filled one would leave of it what is not
// in the text.
func empty(object runtime.Object) runtime.Object {
	if _, isJob := object.(*batchv1.Job); isJob {
		return &batchv1.Job{}
	}
	return &corev1.Pod{}
}

func specOf(object runtime.Object) corev1.PodSpec {
	if job, isJob := object.(*batchv1.Job); isJob {
		return job.Spec.Template.Spec
	}
	return object.(*corev1.Pod).Spec
}

// enforced reviews an object in mode enforce and holds the outcome to what kube-apiserver and users
// rely on. It returns nil where the object is denied.
func enforced(t *testing.T, url string, object runtime.Object) runtime.Object {
	t.Helper()
	defaults(object)
	raw := []byte(jsonOf(t, object))
	wasValid := len(invalid(t, object)) == 0
	response := review(t, url+"/mutate/enforce", object, raw)
	if !response.Allowed {
		if response.Result == nil || response.Result.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(response.Result.Message, "spec.") || len(response.Patch) > 0 {
			t.Errorf("the denial is %s", jsonOf(t, response))
		}
		return nil
	}
	result := empty(object)
	after := patched(t, raw, response)
	into(t, after, result)
	if wasValid {
		for _, err := range invalid(t, result) {
			t.Errorf("kube-apiserver would say: %v", err)
		}
	}
	if !isGuaranteed(specOf(result)) {
		t.Errorf("the result is not Guaranteed: %s", jsonOf(t, specOf(result)))
	}
	after = []byte(jsonOf(t, result)) // with what kube-apiserver defaulted
	if again := review(t, url+"/mutate/enforce", object, after); len(again.Patch) > 0 || !again.Allowed {
		t.Errorf("reviewed again: %s", jsonOf(t, again))
	}
	if final := review(t, url+"/validate/enforce", object, after); !final.Allowed {
		t.Errorf("validation denies what mutation made: %s", jsonOf(t, final.Result))
	}
	if t.Failed() {
		t.Logf("of %s", raw)
	}
	return result
}

func TestAdmissionMakesWhatKubernetesTakes(t *testing.T) {
	url := startAdmission(t)
	for name, object := range writtenObjects() {
		t.Run(name, func(t *testing.T) {
			if enforced(t, url, object) == nil {
				t.Error("denied")
			}
		})
	}
	t.Run("generated", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 0))
		denied := 0
		for range generatedObjects {
			if enforced(t, url, generated(random)) == nil {
				denied++
			}
			if t.Failed() {
				return // one is enough to look at
			}
		}
		if denied > generatedObjects/4 {
			t.Errorf("%d of %d were denied: too few are tested", denied, generatedObjects)
		}
	})
}

// The next version of Kubernetes has fields that Berth does not know.
func TestAdmissionKeepsWhatItDoesNotKnow(t *testing.T) {
	url := startAdmission(t)
	for name, object := range writtenObjects() {
		t.Run(name, func(t *testing.T) {
			defaults(object)
			raw := withUnknown(t, []byte(jsonOf(t, object)))
			response := review(t, url+"/mutate/enforce", object, raw)
			after := patched(t, raw, response)
			before := strings.Count(string(raw), unknownField)
			if left := strings.Count(string(after), unknownField); left != before || before < 3 {
				t.Errorf("of %d unknown fields %d are left after %s", before, left, response.Patch)
			}
		})
	}
}

const unknownField = `"fromTheFuture":{"big":1234567890123456789,"small":1.50e-7,"text":"é/~"}`

// extensible finds where objects begin that have fields, and not names of users' own.
var extensible = regexp.MustCompile(`"(metadata|spec|template|affinity|nodeAffinity|resources|` +
	`requiredDuringSchedulingIgnoredDuringExecution|podFailurePolicy)":\{|` +
	`"(containers|initContainers|nodeSelectorTerms|rules)":\[\{`)

// withUnknown puts unknown fields into the document.
func withUnknown(t *testing.T, raw []byte) []byte {
	t.Helper()
	text := extensible.ReplaceAllString(string(raw), "$0"+unknownField+",")
	text = strings.ReplaceAll(text, ",}", "}")
	if !json.Valid([]byte(text)) {
		t.Fatalf("no JSON: %s", text)
	}
	return []byte(text)
}

func TestAdmissionInWarnChangesNothing(t *testing.T) {
	url := startAdmission(t)
	for name, object := range writtenObjects() {
		t.Run(name, func(t *testing.T) {
			defaults(object)
			for _, path := range []string{"/mutate/warn", "/validate/warn"} {
				response := review(t, url+path, object, []byte(jsonOf(t, object)))
				if !response.Allowed || len(response.Patch) > 0 {
					t.Errorf("%s answers %s", path, jsonOf(t, response))
				}
			}
		})
	}
}

func TestAdmissionOfAPodThatAsksForNothingSaysWhatWasSet(t *testing.T) {
	url := startAdmission(t)
	object := devicePod("2")
	defaults(object)
	response := review(t, url+"/mutate/enforce", object, []byte(jsonOf(t, object)))
	want := "berth: cpu and memory of 'train' set to 8 cores, 80Gi (2 x V100); set your own limits"
	if !slices.Contains(response.Warnings, want) {
		t.Errorf("warnings %q, want %q", response.Warnings, want)
	}
	if len(response.AuditAnnotations) == 0 {
		t.Error("no audit annotation says what was done")
	}
}

// Who writes an object hears of each change once, by mutation: in warn validation sees the object as
// it was written, and would find the same to say of it. kube-apiserver drops only what is repeated
// word for word (k8s.io/apiserver/pkg/endpoints/filters/warning.go).
func TestAdmissionInWarnForetellsAChangeOnce(t *testing.T) {
	url := startAdmission(t)
	for name, object := range writtenObjects() {
		t.Run(name, func(t *testing.T) {
			defaults(object)
			raw := []byte(jsonOf(t, object))
			foretold := review(t, url+"/mutate/warn", object, raw).Warnings
			slices.Sort(foretold)
			if len(foretold) == 0 || len(slices.Compact(slices.Clone(foretold))) < len(foretold) {
				t.Errorf("mutation foretells %q", foretold)
			}
			if told := review(t, url+"/validate/warn", object, raw).Warnings; len(told) > 0 {
				t.Errorf("after mutation foretold %q, validation says %q", foretold, told)
			}
		})
	}
}

// What is wrong with an object both say, in the same words, so that kube-apiserver drops the second.
func TestAdmissionInWarnObjectsInTheSameWords(t *testing.T) {
	url := startAdmission(t)
	object := devicePod("1")
	object.Annotations["berth.dev/accelerators"] = "Z9"
	defaults(object)
	raw := []byte(jsonOf(t, object))
	foretold := review(t, url+"/mutate/warn", object, raw).Warnings
	told := review(t, url+"/validate/warn", object, raw).Warnings
	if len(told) != 1 || !strings.Contains(told[0], "Z9") || !slices.Contains(foretold, told[0]) {
		t.Errorf("mutation says %q, validation %q", foretold, told)
	}
}

// Every < becomes six bytes on the way to a webhook. Go's client, which kube-apiserver calls with,
// takes a connection that closes while it writes for an outage, and failurePolicy decides then.
func TestAReviewThatIsTooLargeIsAnswered(t *testing.T) {
	url := startAdmission(t)
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i",
		Env: []corev1.EnvVar{{Name: "X", Value: strings.Repeat("<", 4<<20)}}}}}}
	raw, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // a race between the answer and the end of what is sent would show
		for _, hook := range []string{"/mutate", "/validate"} {
			denied := review(t, url+hook+"/enforce", pod, raw)
			if denied.Allowed || denied.Result.Code != http.StatusRequestEntityTooLarge ||
				denied.Result.Reason != metav1.StatusReasonRequestEntityTooLarge ||
				!strings.Contains(denied.Result.Message, "larger than 20971520 bytes") {
				t.Fatalf("enforce answers %s", jsonOf(t, denied))
			}
			warned := review(t, url+hook+"/warn", pod, raw)
			if !warned.Allowed || len(warned.Warnings) != 1 ||
				!strings.HasPrefix(warned.Warnings[0], "berth: not reviewed: ") {
				t.Fatalf("warn answers %s", jsonOf(t, warned))
			}
		}
	}
}
