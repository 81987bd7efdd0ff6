package monitoring

import (
	"regexp"
	"slices"
)

var metricName = regexp.MustCompile(`\bberth_[a-z_.*]*[a-z]\b`)

// MetricNames are those of Berth that stand in queries, sorted: names, and regular expressions of
// `__name__`.
func MetricNames(queries string) []string {
	names := metricName.FindAllString(queries, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

// Unknown are the names that nothing of what was scraped has.
func Unknown(names, scraped []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		pattern, err := regexp.Compile("^(" + name + ")$")
		return err == nil && slices.ContainsFunc(scraped, pattern.MatchString)
	})
}
