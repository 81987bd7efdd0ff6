package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestTheDumpIsAListOfEveryKind(t *testing.T) {
	var text bytes.Buffer
	count, err := writeDump(&text, 20, 100)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		metav1.TypeMeta
		Items []runtime.RawExtension `json:"items"`
	}
	if err := json.Unmarshal(text.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, item := range list.Items {
		var object metav1.TypeMeta
		if err := json.Unmarshal(item.Raw, &object); err != nil {
			t.Fatal(err)
		}
		kinds[object.Kind]++
	}
	if list.Kind != "List" || len(list.Items) != count {
		t.Errorf("a %s of %d objects, want a List of %d", list.Kind, len(list.Items), count)
	}
	if kinds["Node"] != 20 || kinds["Pod"] != 100 || kinds["Job"] == 0 || kinds["Namespace"] == 0 {
		t.Errorf("the kinds are %v", kinds)
	}
}

func TestJudgeRefusesTooMuchMemory(t *testing.T) {
	rounds := []round{{memory: 100}, {memory: 600}}
	var said bytes.Buffer
	if err := judge(rounds, options{most: 512}, &said); err == nil {
		t.Error("600 MiB are not too much")
	}
	if err := judge(rounds, options{most: 700}, &said); err != nil {
		t.Error(err)
	}
}

func TestJudgeRefusesSlowReports(t *testing.T) {
	seconds := func(all ...time.Duration) []round {
		var rounds []round
		for _, each := range all {
			rounds = append(rounds, round{wall: each * time.Second})
		}
		return rounds
	}
	limits := options{within: 20 * time.Second, most: 512}
	var said bytes.Buffer
	err := judge(seconds(30, 12, 21), limits, &said)
	if err == nil || !strings.Contains(err.Error(), "21.00 s, more than the limit of 20s") {
		t.Errorf("a median of 21 s: %v", err)
	}
	if strings.Contains(said.String(), "within") {
		t.Errorf("says that the limits are kept: %s", said.String())
	}
	said.Reset()
	if err := judge(seconds(30, 12, 19), limits, &said); err != nil {
		t.Errorf("a single slow report: %v", err)
	}
	if want := "within the limits: a median of 20s, and 512 MiB\n"; !strings.HasSuffix(said.String(), want) {
		t.Errorf("says %q, want %q at the end", said.String(), want)
	}
}
