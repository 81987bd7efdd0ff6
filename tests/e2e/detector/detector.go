// Package detector runs the real node-problem-detector with Berth's probes for nodes of a box, and
// plays what these look at: a node's sysfs, procfs and nvidia-smi.
package detector

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	program = "node-problem-detector"
	user    = program
	// Has node-problem-detector publish nothing of a condition before a probe has looked.
	skipsInitialStatus = `"skip_initial_status": true`
)

// Options say what a detector looks for, and how.
type Options struct {
	// Node is the name of the node in the box.
	Node string
	// Probes are names of `berth probe`.
	Probes []string
	// Interval and Timeout are those of every probe.
	Interval, Timeout time.Duration
	// Flags are further ones, as `berth probe config --flag` takes them: "gpu-lost:expect=2".
	Flags []string
	// SaysWellFirst has it publish that all is well whenever it starts, before it has looked.
	// Default: it does not, as `berth probe config` has it.
	SaysWellFirst bool
	// Server is an address of kube-apiserver that asks nobody who he is, such as Clock.URL. Default:
	// the box's, with a certificate.
	Server string
}

// Detector is a node-problem-detector of one node. Killed and started again it is the same one.
type Detector struct {
	*box.Process
	Hardware
	Node string
}

// New makes a detector that Start starts; the box stops it at the latest. The node's hardware is in
// the folder root, and what is not made there is not on the node.
func New(ctx context.Context, b *box.Box, root string, options Options) (*Detector, error) {
	if err := grant(ctx, b); err != nil {
		return nil, fmt.Errorf("bind the role of %s: %w", program, err)
	}
	d := &Detector{Hardware: Hardware{Root: root}, Node: options.Node}
	if err := os.MkdirAll(filepath.Join(root, "sys"), 0o755); err != nil {
		return nil, err
	}
	files, err := configure(ctx, root, options)
	if err != nil {
		return nil, err
	}
	server := options.Server
	if server == "" {
		kubeconfig, err := b.KubeconfigFor(user)
		if err != nil {
			return nil, err
		}
		server = "https://" + b.APIAddress() + "?auth=" + kubeconfig + "&"
	} else {
		server += "?"
	}
	port, err := b.FreePort()
	if err != nil {
		return nil, err
	}
	d.Process, err = b.NewDaemon(box.Daemon{
		Program: program,
		Arguments: []string{
			"--config.custom-plugin-monitor=" + strings.Join(files, ","),
			"--hostname-override=" + options.Node,
			"--apiserver-override=" + server + "inClusterConfig=false",
			fmt.Sprintf("--port=%d", port), "--prometheus-port=0"},
		Ready: b.ReadyAt(fmt.Sprintf("http://127.0.0.1:%d/healthz", port)),
	})
	return d, err
}

// configure has `berth probe config` write the files of the plugins, and returns their paths.
func configure(ctx context.Context, root string, options Options) ([]string, error) {
	berth, err := box.BerthBinary()
	if err != nil {
		return nil, err
	}
	arguments := []string{"probe", "config", "--output", root, "--program", berth,
		"--interval", options.Interval.String()}
	flags := append([]string{"*:run-dir=" + filepath.Join(root, "run"),
		"*:timeout=" + options.Timeout.String()}, options.Flags...)
	for _, flag := range flags {
		arguments = append(arguments, "--flag", flag)
	}
	output, err := exec.CommandContext(ctx, berth, append(arguments, options.Probes...)...).
		CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("berth probe config: %w: %s", err, output)
	}
	var files []string
	for _, probe := range options.Probes {
		file := filepath.Join(root, probe+".json")
		files = append(files, file)
		if options.SaysWellFirst {
			if err := sayWellFirst(file); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

func sayWellFirst(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := bytes.Replace(text, []byte(skipsInitialStatus),
		[]byte(strings.Replace(skipsInitialStatus, "true", "false", 1)), 1)
	if bytes.Equal(text, changed) {
		return fmt.Errorf("%s does not say %s", file, skipsInitialStatus)
	}
	return os.WriteFile(file, changed, 0o644)
}

// grant gives detectors the rights that Kubernetes has for them.
func grant(ctx context.Context, b *box.Box) error {
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole",
			Name: "system:node-problem-detector"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	_, err := b.Client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
