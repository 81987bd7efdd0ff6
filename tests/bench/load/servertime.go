package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
)

var bucketLine = regexp.MustCompile(
	`^berth_extender_duration_seconds_bucket\{verb="(\w+)",le="([^"]+)"\} (\d+)$`)

// reportServerTime prints what share of the requests Berth answered within which time, as its own
// histogram has it: without the client, TLS and the machine's other work between them.
func reportServerTime(ctx context.Context, w io.Writer, metricsURL string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, metricsURL+"/metrics", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	type bucket struct {
		limit string
		count float64
	}
	buckets := map[string][]bucket{} // by verb, cumulative, the last one counts all
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if match := bucketLine.FindStringSubmatch(lines.Text()); match != nil {
			count, err := strconv.ParseFloat(match[3], 64)
			if err != nil {
				return err
			}
			buckets[match[1]] = append(buckets[match[1]], bucket{match[2], count})
		}
	}
	for _, verb := range []string{"filter", "prioritize"} {
		all := buckets[verb]
		if len(all) == 0 {
			return fmt.Errorf("%s has no histogram of %s", metricsURL, verb)
		}
		fmt.Fprintf(w, "berth's own time for %s:", verb)
		total := all[len(all)-1].count
		for _, b := range all[:len(all)-1] {
			if share := b.count / total; share > 0 {
				fmt.Fprintf(w, " %.2f %% within %s s", share*100, b.limit)
				if share == 1 {
					break
				}
				fmt.Fprint(w, ",")
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}
