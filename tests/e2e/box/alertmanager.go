package box

// Alertmanager is a real one, without peers.
type Alertmanager struct {
	*Process
	Address string // host:port
}

// NewAlertmanager makes an Alertmanager of a configuration that Start starts; the box stops it at
// the latest.
func (b *Box) NewAlertmanager(configuration map[string]any) (*Alertmanager, error) {
	process, address, err := b.newMonitor("alertmanager", configuration, "--storage.path",
		"--cluster.listen-address=")
	return &Alertmanager{process, address}, err
}
