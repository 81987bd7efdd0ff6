package e2e

// metric sums the samples of a metric that have all of the labels (`name="value"`). A scrape that
// fails gives -1: Berth may be on its way up.
func (w *world) metric(name string, labels ...string) float64 {
	w.Helper()
	samples, err := w.box.Berth.Metrics(w.Context())
	if err != nil {
		return -1
	}
	return samples.Sum(name, labels...)
}
