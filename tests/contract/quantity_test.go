package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

const quantitySeed = 1031

func (g generator) digits(most int) string {
	var text strings.Builder
	for range g.IntN(most + 1) {
		text.WriteByte(byte('0' + pick(g, 0, 0, 9, g.IntN(10))))
	}
	return text.String()
}

// spelling is a quantity more often than not.
func (g generator) spelling() string {
	if g.chance(15) {
		return g.garbage()
	}
	text := pick(g, "", "", "", "+", "-") + g.digits(pick(g, 1, 4, 12, 20, 45))
	if g.chance(40) {
		text += "." + g.digits(pick(g, 1, 4, 12, 45))
	}
	switch {
	case g.chance(20):
		// Four digits at most: Kubernetes' own arithmetic takes minutes for ten.
		text += pick(g, "e", "E") + pick(g, "", "+", "-") + g.digits(pick(g, 1, 2, 2, 4))
	case g.chance(5):
		text += g.garbage()
	default:
		text += pick(g, "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
	}
	return text
}

func (g generator) garbage() string {
	const alphabet = "0019.+-eEinumkKMGTP xé\x00"
	var text strings.Builder
	for range g.IntN(6) {
		text.WriteByte(alphabet[g.IntN(len(alphabet))])
	}
	return text.String()
}

func TestQuantities(t *testing.T) {
	g := newGenerator(quantitySeed)
	var texts [][]byte
	for range 20_000 {
		texts = append(texts, []byte(g.spelling()))
	}
	valid := 0
	for i, answer := range decode(t, "quantity", texts) {
		quantity, err := resource.ParseQuantity(string(texts[i]))
		if refused := answer.failure(t) != ""; refused != (err != nil) {
			t.Errorf("%q: got %s, Kubernetes says %v", texts[i], answer.line, err)
		}
		if err != nil {
			continue
		}
		valid++
		checkAmounts(t, string(texts[i]), quantity, answer)
	}
	if valid < len(texts)/2 || valid > len(texts)*9/10 {
		t.Errorf("%d of %d are valid: the generator tests one side only", valid, len(texts))
	}
}

// checkAmounts compares with the exact amount, and that with Kubernetes' own, which overflows and
// rounds some negative fractions towards zero.
func checkAmounts(t *testing.T, text string, quantity resource.Quantity, answer decoded) {
	t.Helper()
	got := as[struct{ Value, Milli int64 }](t, answer)
	value, milli := units(quantity.DeepCopy(), 0), units(quantity.DeepCopy(), 3)
	if got.Value != value || got.Milli != milli {
		t.Errorf("%q: got %+v, want %d and %d", text, got, value, milli)
	}
	if quantity.Sign() < 0 {
		return
	}
	if value < math.MaxInt64 && quantity.Value() != value {
		t.Errorf("%q: Kubernetes counts %d and not %d", text, quantity.Value(), value)
	}
	if milli < math.MaxInt64 && quantity.MilliValue() != milli {
		t.Errorf("%q: Kubernetes counts %dm and not %dm", text, quantity.MilliValue(), milli)
	}
}

// Exponents that Kubernetes accepts and reads in its fast path.
func TestHugeExponents(t *testing.T) {
	cases := map[string]int64{
		"1e2147483647":  math.MaxInt64,
		"-1e2147483647": -math.MaxInt64,
		"1e4294967296":  1,
		"1e4294967299":  1000,
		"1e-4294967293": 1000,
	}
	for text, want := range cases {
		if _, err := resource.ParseQuantity(text); err != nil {
			t.Errorf("%q: Kubernetes refuses it: %v", text, err)
		}
		answer := decode(t, "quantity", [][]byte{[]byte(text)})[0]
		if got := as[struct{ Value int64 }](t, answer).Value; got != want {
			t.Errorf("%q: got %s, want %d", text, answer.line, want)
		}
	}
}

// People write quantities as numbers and with spaces around them; no serializer would.
func TestSpellingsInJSON(t *testing.T) {
	g := newGenerator(quantitySeed)
	for _, raw := range []string{
		`1`, `0`, `1.5`, `0.001`, `1e3`, `1E-3`, `1e20`, `123456789012`, `18446744073709551615`,
		`" 1Gi "`, `"1e3"`, fmt.Sprint(g.Float64()),
	} {
		text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
			"status":{"capacity":{"cpu":%s,"memory":%s}}}`, raw, raw)
		node := &corev1.Node{}
		if err := runtime.DecodeInto(jsonSerializer, []byte(text), node); err != nil {
			t.Fatalf("%s: Kubernetes refuses it: %v", raw, err)
		}
		answer := decode(t, "node-json", [][]byte{[]byte(text)})[0]
		if got, want := as[nodeModel](t, answer), expectedNode(node); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, want %+v", raw, answer.line, want)
		}
	}
	for _, raw := range []string{`"1e3Ki"`, `""`, `"x"`, `true`, `[]`, `{}`, `"1 Gi"`} {
		text := fmt.Sprintf(`{"metadata":{"name":"n"},"status":{"capacity":{"cpu":%s}}}`, raw)
		if err := json.Unmarshal([]byte(text), &corev1.Node{}); err == nil {
			t.Errorf("%s: Kubernetes accepts it", raw)
		}
		answer := decode(t, "node-json", [][]byte{[]byte(text)})[0]
		if want := `Node.status.capacity["cpu"]: `; !strings.HasPrefix(answer.failure(t), want) {
			t.Errorf("%s: got %s, want an error at %s", raw, answer.line, want)
		}
	}
}
