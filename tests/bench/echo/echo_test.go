package echo

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestEveryNodeFitsAndRanksTheSame(t *testing.T) {
	server := Start()
	defer server.Close()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(Authority(server)) {
		t.Fatal("the authority is no certificate")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	cases := []struct {
		path, body string
		code       int
		reply      string
	}{
		{"/filter", `{"Pod":{},"NodeNames":["a","b"]}`, 200, `"NodeNames":["a","b"],`},
		{"/prioritize", `{"Pod":{},"NodeNames":["a","b"]}`, 200,
			`[{"Host":"a","Score":0},{"Host":"b","Score":0}]`},
		{"/filter", `{"Pod":{}}`, 400, "no ExtenderArgs with NodeNames"},
		{"/prioritize", `nonsense`, 400, "no ExtenderArgs"},
	}
	for _, c := range cases {
		response, err := client.Post(server.URL+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != c.code || !strings.Contains(string(reply), c.reply) {
			t.Errorf("%s of %s: %d %s (%v), want %d with %s", c.path, c.body, response.StatusCode, reply,
				err, c.code, c.reply)
		}
	}
}
